//! git's built-in diff drivers (gitattributes(5)): their patterns for function lines.
//!
//! Written from the syntax of the languages, and adjusted until they agree with git on samples.

use bstr::BStr;

use crate::system::git_version::GitVersion;

/// The function (or section) lines of one language.
pub(super) struct FunctionPatterns {
    pub(super) name: &'static str,
    /// Newline-separated extended regular expressions; a leading `!` negates.
    patterns: &'static str,
    pub(super) ignore_case: bool,
    /// True if the first group of a pattern is the function's name, and not the line.
    has_names: bool,
    /// The release that has them first.
    since: GitVersion,
}

impl FunctionPatterns {
    const fn since(self, major: u32, minor: u32) -> FunctionPatterns {
        FunctionPatterns {
            since: GitVersion { major, minor },
            ..self
        }
    }

    /// The patterns, each with the function's name as its first group: the line without the blanks
    /// before it, unless the pattern says more.
    pub(super) fn named_patterns(&self) -> String {
        let named = |pattern: &str| match pattern.strip_prefix("^[ \t]*") {
            _ if self.has_names || pattern.starts_with('!') => pattern.to_owned(),
            Some(rest) => format!("^[ \t]*({rest})"),
            None => format!("({pattern})"),
        };
        let patterns: Vec<String> = self.patterns.split('\n').map(named).collect();
        patterns.join("\n")
    }
}

/// The built-in driver with this name in a version of git.
pub(super) fn find_driver(name: &BStr, git: GitVersion) -> Option<&'static FunctionPatterns> {
    let mut newest_first = DRIVERS.iter().rev();
    newest_first.find(|driver| name == driver.name && driver.since <= git)
}

const fn driver(name: &'static str, patterns: &'static str) -> FunctionPatterns {
    FunctionPatterns {
        name,
        patterns,
        ignore_case: false,
        has_names: false,
        since: GitVersion::OLDEST,
    }
}

const fn with_names(name: &'static str, patterns: &'static str) -> FunctionPatterns {
    FunctionPatterns {
        has_names: true,
        ..driver(name, patterns)
    }
}

const fn any_case(name: &'static str, patterns: &'static str) -> FunctionPatterns {
    FunctionPatterns {
        ignore_case: true,
        ..driver(name, patterns)
    }
}

/// Those that changed are listed once for each state, the oldest first.
const DRIVERS: &[FunctionPatterns] = &[
    // Program units, except renamings and generic instances.
    any_case(
        "ada",
        "![ \t](renames|is[ \t]+(new|separate))([ \t]|$)\n\
         ^[ \t]*(function|package|procedure|protected|task)[ \t]+.*$",
    ),
    // `name()`, or `function name` and the beginning of its body.
    with_names(
        "bash",
        "^[ \t]*([A-Za-z_][0-9A-Za-z_]*[ \t]*[(][ \t]*[)])\n\
         ^[ \t]*(function[ \t]+[A-Za-z_][0-9A-Za-z_]*([ \t]*[(][ \t]*[)]|[ \t])[ \t]*([{]|[(][(]?|[[][[]))",
    ),
    // The body may begin with anything.
    with_names(
        "bash",
        "^[ \t]*([A-Za-z_][0-9A-Za-z_]*[ \t]*[(][ \t]*[)])\n\
         ^[ \t]*(function[ \t]+[A-Za-z_][0-9A-Za-z_]*([ \t]*[(][ \t]*[)]|[ \t])[ \t]*([{]|[(][(]?|[[][[])?)",
    )
    .since(2, 50),
    driver("bibtex", "@[A-Za-z].*$"),
    // Text in the first column, except labels.
    driver(
        "cpp",
        "!^[ \t]*[A-Za-z_][0-9A-Za-z_]*:[[:space:]]*($|/[*/])\n\
         ^(::[[:space:]]*)?[A-Za-z_].*$",
    ),
    // Methods, other members, types and namespaces, except lines with the word of a statement.
    driver(
        "csharp",
        "!(^|[ \t])(case|catch|default|do|else|fixed|for|foreach|if|lock|new|return|switch|throw|using|while)([ \t(]|$)\n\
         ^[ \t]*([][[:alnum:]@_.]([][[:alnum:]@_.]|<[][[:alnum:]@_<>, \t]+>)*[ \t]+)+[][[:alnum:]@_.]([][[:alnum:]@_.]|<[][[:alnum:]@_<>, \t]+>)*[ \t]*[(][^;]*$\n\
         ^[ \t]*([][[:alnum:]@_.]([][[:alnum:]@_.]|<[][[:alnum:]@_<>, \t]+>)*[ \t]+)+[][[:alnum:]@_.]([][[:alnum:]@_.]|<[][[:alnum:]@_<>, \t]+>)*[^;=:,()]*$\n\
         ^[ \t]*((abstract|internal|partial|private|protected|public|sealed|static|unsafe)[ \t]+)*(class|enum|interface|record|struct)[ \t].*$\n\
         ^[ \t]*namespace[ \t].*$",
    ),
    // Selectors; declarations end with a semicolon.
    any_case(
        "css",
        "![:;][[:space:]]*$\n^([_0-9A-Za-z]|[:[@.#][_0-9A-Za-z]).*$",
    ),
    // Nodes, labels and node references; not properties.
    driver("dts", "!;\n!=\n^[ \t]*(/[ \t]*[{]|&?[A-Za-z_])"),
    driver(
        "elixir",
        "^[ \t]*(def(impl|macro|module|p|protocol)?|test)[ \t].*$",
    ),
    any_case(
        "fortran",
        "!^[c*]|^[ \t]*!\n\
         !^[ \t]*module[ \t]+procedure[ \t]\n\
         ^[ \t]*(end[ \t]+)?(block[ \t]+data|module|program)[ \t]+[A-Za-z].*$\n\
         ^([^!'\"]*[ \t])?(function|subroutine)[ \t]+[A-Za-z].*$",
    ),
    any_case(
        "fountain",
        "^([.][^.]|(int|ext|est|int[.]?/ext|i/e)[. ]).*$",
    ),
    with_names(
        "golang",
        "^[ \t]*(func.*)$\n^[ \t]*(type[ \t].*(interface|struct)[ \t]*[{]?)",
    ),
    any_case("html", "^[ \t]*<h[1-6]([ \t].*)?>.*$"),
    driver("ini", "^[ \t]*[[][^]]+[]]").since(2, 50),
    driver(
        "java",
        "!^[ \t]*(catch|do|for|if|instanceof|new|return|switch|throw|while)\n\
         ^[ \t]*([a-z-]+[ \t]+)*(class|enum|interface|record)[ \t].*$\n\
         ^[ \t]*([A-Za-z_<>&][][0-9A-Za-z_<>.,?&]*[ \t]+)+[A-Za-z_][0-9A-Za-z_]*[ \t]*[(][^;]*$",
    ),
    driver(
        "kotlin",
        "^[ \t]*([a-z]+[ \t]+)*(class|fun|interface)[ \t]+.*$",
    ),
    // Headings, indented by up to three spaces.
    driver("markdown", "^ {0,3}#{1,6}[ \t]"),
    // Including the code cells of Matlab and Octave.
    driver(
        "matlab",
        "^[[:space:]]*(classdef|function)[[:space:]].*$\n^(%%%?|##)[[:space:]].*$",
    ),
    driver(
        "objc",
        "!^[ \t]*(do|else|for|if|return|switch|while)\n\
         ^[ \t]*[-+][ \t]*[(][ \t]*[A-Za-z_][0-9A-Za-z_* \t]*[)][ \t]*[A-Za-z_].*$\n\
         ^@(implementation|interface|protocol)[ \t].*$\n\
         ^[ \t]*[A-Za-z_][0-9A-Za-z_]*([ \t]+[A-Za-z_][0-9A-Za-z_]*)+[ \t]*[(][^;]*$",
    ),
    driver(
        "pascal",
        "^(class[ \t]+)?(function|procedure).*$\n\
         ^(constructor|destructor|finalization|implementation|initialization|interface).*$\n\
         ^.*=[ \t]*(class|record).*$",
    ),
    // Subroutines whose body does not end on the same line, packages, blocks, POD headings.
    driver(
        "perl",
        "^package \n\
         ^sub [[:alnum:]_':]+[ \t]*([(][^)]*[)][ \t]*)?(:[^;#]*)?([{][ \t]*)?(#.*)?$\n\
         ^(AUTOLOAD|BEGIN|CHECK|DESTROY|END|INIT|UNITCHECK)[ \t]*([{][ \t]*)?(#.*)?$\n\
         ^=head[0-9] ",
    ),
    driver(
        "php",
        "^[ \t]*((abstract|final|private|protected|public|static)[ \t]+)*function.*$\n\
         ^[ \t]*((abstract|final)[ \t]+)?class.*$\n\
         ^[ \t]*(enum|interface|trait).*$",
    ),
    driver("python", "^[ \t]*((async[ \t]+)?def|class)[ \t].*$"),
    driver(
        "r",
        "^[ \t]*[A-z][0-9A-Za-z._]*[ \t]*(<-|=)[ \t]*function.*$",
    )
    .since(2, 51),
    driver("ruby", "^[ \t]*(class|def|module)[ \t].*$"),
    driver(
        "rust",
        "^[ \t]*(pub([(][^)]+[)])?[ \t]+)?((async|const|extern[ \t]+\"[^\"]+\"|unsafe)[ \t]+)?(enum|fn|impl|macro_rules!|mod|struct|trait|union)[< \t]+[^;]*$",
    ),
    driver(
        "scheme",
        "^[ \t]*[(](def(alias|class|ine|method|proto|record|rules|struct|syntax)?[ \t*/-]|(class|library|module|struct)[ \t*+]).*$",
    ),
    // Anything in the first column; definitions that are hardly indented; others by their words.
    driver(
        "scheme",
        "^[(].*$\n\
         ^ {1,2}[(][Dd][Ee][Ff].*$\n\
         ^[ \t]*[(](def(alias|class|ine|method|proto|record|rules|struct|syntax)?[ \t*/-]|(class|library|module|struct)[ \t*+]).*$",
    )
    .since(2, 55),
    driver(
        "swift",
        "^[ \t]*(@[A-Za-z_][0-9A-Za-z_]*([(][^()]*[)])?[ \t]+)*([a-z]+[ \t]+)*(actor|class|deinit|enum|extension|func|init|protocol|struct|subscript)[ \t!(<?].*$",
    )
    .since(2, 56),
    driver("tex", "^\\\\((sub)*section|chapter|part)[*]{0,1}[{].*$"),
];
