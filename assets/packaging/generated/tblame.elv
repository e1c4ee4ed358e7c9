
use builtin;
use str;

set edit:completion:arg-completer[tblame] = {|@words|
    fn spaces {|n|
        builtin:repeat $n ' ' | str:join ''
    }
    fn cand {|text desc|
        edit:complex-candidate $text &display=$text' '(spaces (- 14 (wcswidth $text)))$desc
    }
    var command = 'tblame'
    for word $words[1..-1] {
        if (str:has-prefix $word '-') {
            break
        }
        set command = $command';'$word
    }
    var completions = [
        &'tblame'= {
            cand -S 'Read the parents of commits from this file.'
            cand --contents 'Blame the contents of this file (- for standard input).'
            cand -L 'Blame only the lines <start>,<end>, or the function :<funcname>. <start> and <end> are line numbers or /regex/; <end> may also be +<offset> or -<offset>. This option can be given multiple times.'
            cand --since 'Treat commits older than this date as boundaries.'
            cand --after 'Same as --since.'
            cand --max-age 'Like --since, in seconds since the epoch.'
            cand --until 'With --reverse, skip commits newer than this date.'
            cand --before 'Same as --until.'
            cand --min-age 'Like --until, in seconds since the epoch.'
            cand --since-as-filter 'With --reverse, skip commits older than this date.'
            cand --early-output 'Same as --topo-order.'
            cand --ancestry-path 'Skip commits that are not descendants of the negative revisions, or not related to this commit.'
            cand --default 'Blame this revision if no argument names one.'
            cand --diff-algorithm 'Use this diff algorithm: myers, minimal, patience or histogram.'
            cand --ignore-rev 'Ignore this commit when attributing lines. Lines that the commit changed are attributed to the commits that last changed them, or similar lines, before it. This option can be given multiple times.'
            cand --ignore-revs-file 'Ignore the commits listed in this file. This option can be given multiple times. An empty name clears the list of files given before; --no-ignore-revs-file also clears those of the configuration.'
            cand -C 'Detect lines moved or copied from other files. Given once, it looks in files changed by the same commit; twice, also in all files of the commit that created the file; three times, in all files of every commit. It implies -M. The score is the number of letters and digits that lines must have in common (default 40).'
            cand -M 'Detect lines moved or copied within the file. The score is the number of letters and digits that lines must have in common (default 20).'
            cand --json-fields 'Write --json with these fields: text, release, request, trailers, agent, lines or none. The names are separated by commas. The default is text, the contents of the lines. release is the first tag that contains a commit, request the pull or merge request that brought it; lines, for --tree, the entries of all files.'
            cand --search 'With --file-history, write the commits that changed how often this text occurs. They are those of git log -S<text>, through renames. The text is taken literally, within lines.'
            cand --sort 'With --tree, sort the entries by name, changed, lines or age. By name is the default. changed is for the last change, newest first, lines for the number of lines, most first, and age for their median age, oldest first. docs/directories.md states the rule.'
            cand --git-compat 'Write what this version of git writes, instead of the installed one. ''newest'' stands for the newest version, which is also taken if git is not installed.'
            cand --abbrev 'Show ids with this many digits.'
            cand --date 'Show dates in this format, such as iso, short or relative.'
            cand --encoding 'Write names and summaries in this encoding.'
            cand --theme 'Use this color theme: auto, dark, light or the name of a file. auto (the default) chooses dark or light by the terminal''s background. Other names are files in the directory ''themes'' next to the configuration file.'
            cand --config 'Read this configuration file. The default is tblame/config.toml in $XDG_CONFIG_HOME or ~/.config.'
            cand --install-shim 'Install tblame under the name git in this directory. Programs that find it first in their PATH then get their blames from tblame. It runs the installed git for all other commands.'
            cand --remove-shim 'Remove it from this directory, or from those in PATH.'
            cand --generate 'Print the manual page, or the completions for a shell. It is one of man, complete-bash, complete-zsh, complete-fish, complete-powershell and complete-elvish.'
            cand --threads 'Use this many threads. The default is the number of processors. The output does not depend on it.'
            cand --topo-order 'With --reverse, visit commits in topological order, as --line-history does.'
            cand --date-order 'With --reverse or --line-history, visit commits in topological order, by date.'
            cand --author-date-order 'Like --date-order, by author dates.'
            cand --exclude-first-parent-only 'Exclude only the first-parent ancestors of negative revisions.'
            cand --simplify-by-decoration 'Skip commits that no reference points at.'
            cand --ignore-missing 'Skip arguments that are not revisions.'
            cand --walk-reflogs 'Read revisions as names of reflogs, so that the work tree is blamed.'
            cand --first-parent 'Follow only the first parent of merge commits.'
            cand --reverse 'Find the last commit in which each line existed. It takes a range <start>..<end>, and starts from the lines of <start>.'
            cand --root 'Do not treat root commits as boundaries. This can be disabled with --no-root.'
            cand -w 'Ignore whitespace when comparing lines.'
            cand --minimal 'Same as --diff-algorithm=minimal. This can be disabled with --no-minimal.'
            cand --textconv 'Run text conversion filters (the default). This can be disabled with --no-textconv.'
            cand --find-copies-harder 'Same as -C -C.'
            cand --follow 'Follow renames of the whole file (the default). This can be disabled with --no-follow.'
            cand --indent-heuristic 'Shift diff boundaries by indentation (the default). This can be disabled with --no-indent-heuristic.'
            cand --auto-ignore-revs 'Ignore the commits listed in .git-blame-ignore-revs. The file is looked for in the root of the work tree. This is the default in the viewer only, so that other output stays that of git blame.'
            cand --incremental 'Write machine-readable entries as soon as they are found.'
            cand --show-stats 'Append work statistics to the output.'
            cand --progress 'Report progress on standard error. This is the default where standard error is a terminal, for blames of more than a second. It cannot be combined with machine-readable formats.'
            cand -p 'Write the machine-readable porcelain format.'
            cand --porcelain 'Write the machine-readable porcelain format.'
            cand --line-porcelain 'Like --porcelain, with all details on each line.'
            cand -c 'Write the format of git annotate.'
            cand --annotate 'Write what git annotate writes.'
            cand --json 'Write entries as JSON objects as soon as they are found. There is one object per line. docs/json.md describes them.'
            cand --line-history 'Write the commits that changed the lines of -L instead of a blame. They are those of git log -L, one row for each. With --json there is one object for each, with the lines before and after the change. docs/line-history.md describes both.'
            cand --file-history 'Write the commits that made the versions of the file, newest first, instead of a blame. They are those of git log --follow, one row for each with the numbers of added and removed lines. With --json there is one object for each. docs/file-history.md states the rule.'
            cand --deletions 'Write the lines that commits deleted, about newest first, instead of a blame. There is a row for each place of each commit, with the line of the file below which the lines were. With --json there is one object for each, with the deleted lines; with -L, those between two lines of a range. docs/deletions.md states the rule.'
            cand --people 'Write who wrote the lines of a file or directory, most lines first, instead of a blame. There is a row for each author and co-author (Co-authored-by), with the number of lines, their share, the first and the last day, a bar for each year, name and address. With --json there is one object for each.'
            cand --tree 'Write who wrote the entries of a directory and what changed them last, instead of a blame. There is a row for each entry of the directory, or of the current one, in the revision or in the work tree: the day, the id and the author of the last commit, the number of lines, a bar for each year, the name, and who wrote most of it. With --json there is one object for each. docs/directories.md describes both.'
            cand -r 'With --tree, write all files instead of the entries of the directory.'
            cand --recursive 'With --tree, write all files instead of the entries of the directory.'
            cand --generated 'With --tree, count the lines of generated files with the others. Lock files, and files that attributes say are generated, are counted apart by default. docs/directories.md states the rule.'
            cand -b 'Leave the ids of boundary commits blank.'
            cand --score-debug 'Show the scores of moved and copied lines, for debugging.'
            cand -f 'Show the original file name. It is shown by default where lines come from a file of another name.'
            cand --show-name 'Show the original file name. It is shown by default where lines come from a file of another name.'
            cand -n 'Show the original line number.'
            cand --show-number 'Show the original line number.'
            cand -t 'Show raw timestamps.'
            cand -l 'Show full commit ids.'
            cand -s 'Do not show authors and dates.'
            cand -e 'Show the author''s e-mail address instead of the name. This can be disabled with --no-show-email.'
            cand --show-email 'Show the author''s e-mail address instead of the name. This can be disabled with --no-show-email.'
            cand --color-lines 'Color redundant metadata from previous line differently. This can be disabled with --no-color-lines.'
            cand --color-by-age 'Color lines by age. This can be disabled with --no-color-by-age.'
            cand --relative-date 'Same as --date=relative.'
            cand --demo 'Take a guided tour of the viewer, on a built-in history.'
            cand --print-config 'Print the default configuration, with explanations.'
            cand --viewer 'Open the viewer even if standard output is not a terminal. --no-viewer writes what git blame writes, on terminals too.'
            cand --stats 'Print timings and counts on standard error.'
            cand --cache 'List the kept blames of each repository, instead of blaming. --no-cache neither uses nor keeps blames of earlier runs.'
            cand --cache-clear 'Remove all kept blames, or those of the repositories given.'
            cand --verify-cache 'Blame a file anew, and compare the result with the kept blame.'
            cand --warm 'Remember the history of HEAD, so that first looks at files are faster. Reads all commits once, and which files they change. Of no use where the repository has a commit-graph with changed-path filters.'
            cand -h 'Print a list of the options, as git does.'
            cand --help 'Print this help.'
            cand --version 'Print the version.'
        }
    ]
    $completions[$command]
}
