//! Where the links of the screen are, for terminals that open them: ids, requests, paths and what a
//! message refers to. The ids of the gutter are none: some terminals underline every link.

use bstr::ByteSlice;

use crate::{
    sanitize,
    viewer::{
        app::{
            commit::detail_line::{DetailLine, Link},
            display::layout::Area,
            state::App,
        },
        model::hyperlink::Hyperlink,
        pages::page::PageKind,
        ui::{click_targets::ClickTargets, details::TITLE_START},
    },
};

/// The links of a frame that was drawn with these targets.
pub(crate) fn shown(app: &App, targets: &ClickTargets) -> Vec<Hyperlink> {
    let mut links = targets.links.clone();
    match app.pages.top_kind() {
        // It covers the header, too.
        Some(PageKind::Help) => links.clear(),
        Some(PageKind::Diff) => {
            let Some(diff) = app.diff() else {
                return links;
            };
            let top = diff.pager.top().0 as usize;
            lines(
                app,
                diff.header.iter().skip(top),
                app.layout().body(),
                &mut links,
            );
        }
        None | Some(PageKind::Details) if !app.pages.cover_blame() => {
            let (title, area) = (app.layout().details_title, app.layout().details);
            if title.height > 0
                && let Some(facts) = app.view().and_then(|view| view.selected())
                && let Some(url) = app.page_of_commit(&facts.commit.id)
            {
                let start = title.x + TITLE_START;
                links.extend(Hyperlink::new(start..start + 8, title.y, &url));
            }
            if area.height > 0 {
                let top = app.details.pager.position.top as usize;
                let shown = app.detail_lines();
                lines(app, shown.iter().skip(top), area, &mut links);
            }
        }
        _ => {}
    }
    links
}

/// Adds the links of lines that are drawn into an area, one a row.
fn lines<'a>(
    app: &App,
    lines: impl Iterator<Item = &'a DetailLine>,
    area: Area,
    links: &mut Vec<Hyperlink>,
) {
    let references = app.shown_references();
    for (line, y) in lines.zip(area.y..area.y + area.height) {
        for (range, link) in &line.links {
            let url = match *link {
                Link::Reference(at) => references.get(at).and_then(|it| it.url.clone()),
                Link::File(at) => page_of_file(app, at),
            };
            let (Some(before), Some(words)) =
                (line.text.get(..range.start), line.text.get(range.clone()))
            else {
                continue;
            };
            let end = area.x + area.width;
            let column = |text: &str| u16::try_from(sanitize::width(text.as_bytes())).ok();
            let place = column(before)
                .zip(column(words))
                .and_then(|(before, words)| {
                    let start = area.x.checked_add(1)?.checked_add(before)?;
                    Some(start.min(end)..start.checked_add(words)?.min(end))
                });
            if let (Some(columns), Some(url)) = (place, url) {
                links.extend(Hyperlink::new(columns, y, &url));
            }
        }
    }
}

/// The page of a file of the commit whose diff is shown, by its index.
fn page_of_file(app: &App, at: usize) -> Option<String> {
    let diff = app.diff()?;
    let files = &diff.files.as_ref()?.as_ref().ok()?.files;
    let (path, _) = files.get(at)?.new.as_ref()?;
    let web = &app.environment.repository.web;
    web.file(&diff.commit?, path.as_slice().as_bstr(), 0)
}
