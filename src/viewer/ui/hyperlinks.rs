//! Where the links of the screen are, for terminals that open them: ids, requests, paths and what a
//! message refers to. The ids of the gutter are none: some terminals underline every link.

use bstr::ByteSlice;

use crate::{
    objects::ObjectId,
    sanitize,
    viewer::{
        app::{
            commit::{
                detail_line::{DetailLine, Link},
                reference_actions::ResolvedReference,
            },
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
            let shown = diff.header.iter().skip(top);
            links.extend(of_lines(
                app,
                &app.shown_references(),
                shown,
                app.layout().body(),
            ));
        }
        None | Some(PageKind::Details) if !app.pages.cover_blame() => {
            let (title, area) = (app.layout().details_title, app.layout().details);
            if let Some(facts) = app.view().and_then(|view| view.selected()) {
                links.extend(of_title(app, &facts.commit.id, title, TITLE_START));
            }
            if area.height > 0 {
                let top = app.details.pager.position.top as usize;
                let shown = app.detail_lines();
                let shown = shown.iter().skip(top);
                links.extend(of_lines(app, &app.shown_references(), shown, area));
            }
        }
        _ => links.extend(
            app.pages
                .top()
                .into_iter()
                .flat_map(|page| page.hyperlinks(app)),
        ),
    }
    links
}

/// The link of the short id in a title, which begins in a column of it.
pub(crate) fn of_title(app: &App, id: &ObjectId, title: Area, column: u16) -> Option<Hyperlink> {
    let url = app.page_of_commit(id).filter(|_| title.height > 0)?;
    let (start, end) = (title.x + column, title.x + title.width);
    Hyperlink::new(start.min(end)..(start + 8).min(end), title.y, &url)
}

/// The links of lines that are drawn into an area, one a row, with these references.
pub(crate) fn of_lines<'a>(
    app: &App,
    references: &[ResolvedReference],
    lines: impl Iterator<Item = &'a DetailLine>,
    area: Area,
) -> Vec<Hyperlink> {
    let mut links = Vec::new();
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
    links
}

/// The page of a file of the commit whose diff is shown, by its index.
fn page_of_file(app: &App, at: usize) -> Option<String> {
    let diff = app.diff()?;
    let files = &diff.files.as_ref()?.as_ref().ok()?.files;
    let (path, _) = files.get(at)?.new.as_ref()?;
    let web = &app.environment.repository.web;
    web.file(&diff.commit?, path.as_slice().as_bstr(), 0)
}
