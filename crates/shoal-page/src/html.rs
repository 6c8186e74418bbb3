//! Pages that are complete in themselves: they load nothing, work from a file, and say so to the browser in their content
//! security policy.
//!
//! The `html!` macro of [`maud`] escapes every text that is put into a page. What is markup says so by its type.

use maud::{DOCTYPE, Markup, PreEscaped, Render, html};

/// Colours, letters, cards and tables that all pages share.
pub const STYLE: &str = include_str!("style.css");

/// A page about to be written.
#[derive(Clone, Debug)]
pub struct Page<'a> {
    title: String,
    body: Markup,
    class: &'a str,
    styles: Vec<&'a str>,
    script: &'a str,
    pictures: bool,
}

impl<'a> Page<'a> {
    /// A page with a title for the browser's tab, and its body.
    #[must_use]
    pub fn new(title: &str, body: Markup) -> Self {
        Self { title: title.into(), body, class: "", styles: vec![STYLE], script: "", pictures: false }
    }

    /// Adds styles after those that all pages share. They come from the program, never from data.
    #[must_use]
    pub fn style(mut self, css: &'a str) -> Self {
        self.styles.push(css);
        self
    }

    /// A script at the end of the page; without one the page allows none. It comes from the program, never from data.
    #[must_use]
    pub fn script(self, script: &'a str) -> Self {
        Self { script, ..self }
    }

    /// A class of the body, for styles.
    #[must_use]
    pub fn class(self, class: &'a str) -> Self {
        Self { class, ..self }
    }

    /// Lets the page show pictures in its own folder.
    #[must_use]
    pub fn with_pictures(self) -> Self {
        Self { pictures: true, ..self }
    }

    /// The page as text.
    #[must_use]
    pub fn render(&self) -> String {
        html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta http-equiv="Content-Security-Policy" content=(self.policy());
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    meta name="referrer" content="no-referrer";
                    title { (self.title) }
                    style { @for css in &self.styles { (PreEscaped(css)) } }
                }
                body class=[(!self.class.is_empty()).then_some(self.class)] {
                    (self.body)
                    @if !self.script.is_empty() { script { (PreEscaped(self.script)) } }
                }
            }
        }
        .into_string()
    }

    fn policy(&self) -> String {
        let scripts = if self.script.is_empty() { "" } else { " script-src 'unsafe-inline';" };
        let pictures = if self.pictures { " img-src 'self' file: data:;" } else { "" };
        format!("default-src 'none'; style-src 'unsafe-inline';{scripts}{pictures} base-uri 'none'; form-action 'none'")
    }
}

/// A name that somebody chose, kept from reordering the text around it.
#[must_use]
pub fn name(text: &str) -> Markup {
    html! { bdi { (if text.trim().is_empty() { "(no name)" } else { text }) } }
}

/// The last line of a page: a sentence, and the program's version.
#[must_use]
pub fn footer(sentence: &str, version: &str) -> Markup {
    html! { footer { p { (sentence) " " span { "shoal " (version) } } } }
}

/// The command that made a page.
#[must_use]
pub fn command(command: &str) -> Markup {
    html! { code.command { (command) } }
}

/// Terms and what there is to say of each, as a list.
#[must_use]
pub fn facts<T: Render, D: Render>(class: &str, facts: impl IntoIterator<Item = (T, D)>) -> Markup {
    html! {
        dl class=[(!class.is_empty()).then_some(class)] {
            @for (term, words) in facts { div { dt { (term) } dd { (words) } } }
        }
    }
}

/// A table that scrolls sideways where the screen is narrow; `label` names it for those who cannot see it.
#[must_use]
pub fn scrolling(label: &str, table: &Markup) -> Markup {
    html! { div.scroll role="region" aria-label=(label) tabindex="0" { (table) } }
}

/// Data for a script as JSON inside a script element, where only `<` could end it; the others are for older readers.
#[must_use]
pub fn json_for_script(id: &str, json: &str) -> Markup {
    let json = json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026");
    html! { script type="application/json" id=(id) { (PreEscaped(json)) } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped_and_markup_is_not() {
        let evil = "<script>alert('x')</script> & \"";
        let page = Page::new(evil, html! { p title=(evil) { (name(evil)) } }).render();
        assert!(!page.contains("<script"), "{page}");
        assert!(page.contains("<title>&lt;script&gt;") && page.contains("<bdi>&lt;script&gt;"));
        assert!(page.contains("&quot;\"><bdi>"), "{page}");
    }

    #[test]
    fn a_page_allows_only_what_it_has() {
        let plain = Page::new("t", html! {}).render();
        assert!(!plain.contains("script") && !plain.contains("img-src"));
        let page = Page::new("t", html! {}).script("1").with_pictures().render();
        assert!(page.contains("script-src 'unsafe-inline'") && page.contains("img-src 'self'"));
    }

    #[test]
    fn data_cannot_end_a_script() {
        let data = json_for_script("d", r#"{"name": "</script><b>&"}"#).into_string();
        assert_eq!(data.matches('<').count(), 2, "{data}");
    }
}
