//! x
use std::{io::Write, ops::ControlFlow, sync::Arc};
use tblame::engine::*;
use tblame::objects::*;
struct Out(std::io::BufWriter<std::io::Stdout>);
impl Sink for Out {
    fn started(&mut self, _: &Arc<[u8]>, _: u32) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    fn entry(&mut self, e: &Entry, o: &[Origin], b: bool) -> ControlFlow<()> {
        let or = &o[e.origin.0 as usize];
        let _ = writeln!(
            self.0,
            "{} {} {} {}",
            or.commit,
            e.source_start + 1,
            e.lines.start + 1,
            e.lines.end - e.lines.start
        );
        if b {
            let _ = writeln!(self.0, "boundary");
        }
        if let Some(p) = or.previous {
            let p = &o[p.0 as usize];
            let _ = writeln!(self.0, "previous {} {}", p.commit, p.path);
        }
        let _ = writeln!(self.0, "filename {}", or.path);
        ControlFlow::Continue(())
    }
    fn progress(&mut self, _: i64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let t0 = std::time::Instant::now();
    let repo = gix::open(&a[1]).unwrap();
    let id = repo
        .rev_parse_single(a[2].as_str())
        .unwrap()
        .object()
        .unwrap()
        .peel_to_commit()
        .unwrap()
        .id;
    let store = Store::open(
        &repo.objects.store_ref().path().to_path_buf(),
        gix_hash::Kind::Sha1,
        StoreOptions::default(),
    )
    .unwrap();
    let mut e = Engine::new(
        store,
        std::env::var("T").map(|t| t.parse().unwrap()).unwrap_or(2),
    );
    let lvl: u8 = std::env::var("C")
        .ok()
        .and_then(|s| s.parse().ok())
        .unwrap_or(0);
    let m = std::env::var("M").is_ok() || lvl > 0;
    let ignored = std::env::var("IGN")
        .map(|s| {
            s.split(',')
                .map(|h| ObjectId::from_hex(h.as_bytes()).unwrap())
                .collect()
        })
        .unwrap_or_default();
    let r = Request {
        start: Start::Commit(id),
        path: a[3].as_str().into(),
        negatives: vec![],
        since: None,
        reverse: None,
        first_parent: false,
        follow: true,
        show_root: false,
        ranges: None,
        diff: Default::default(),
        movement: Movement {
            moves: m.then_some(20),
            copies: (lvl > 0).then_some(40),
            copy_level: lvl,
        },
        ignored: Arc::new(ignored),
        text_conversion: None,
        grafts: Default::default(),
    };
    let mut out = Out(std::io::BufWriter::new(std::io::stdout()));
    let b = e.blame(&r, &mut out).unwrap();
    eprintln!("{:?} {:?}", t0.elapsed(), b.stats);
    if a.len() > 4 {
        let t0 = std::time::Instant::now();
        e.blame(&r, &mut out).unwrap();
        eprintln!("again {:?}", t0.elapsed());
    }
}
