
using namespace System.Management.Automation
using namespace System.Management.Automation.Language

Register-ArgumentCompleter -Native -CommandName 'tblame' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $commandElements = $commandAst.CommandElements
    $command = @(
        'tblame'
        for ($i = 1; $i -lt $commandElements.Count; $i++) {
            $element = $commandElements[$i]
            if ($element -isnot [StringConstantExpressionAst] -or
                $element.StringConstantType -ne [StringConstantType]::BareWord -or
                $element.Value.StartsWith('-') -or
                $element.Value -eq $wordToComplete) {
                break
        }
        $element.Value
    }) -join ';'

    $completions = @(switch ($command) {
        'tblame' {
            [CompletionResult]::new('-S', '-S ', [CompletionResultType]::ParameterName, 'Read the parents of commits from this file.')
            [CompletionResult]::new('--contents', '--contents', [CompletionResultType]::ParameterName, 'Blame the contents of this file (- for standard input).')
            [CompletionResult]::new('-L', '-L ', [CompletionResultType]::ParameterName, 'Blame only the lines <start>,<end>, or the function :<funcname>. <start> and <end> are line numbers or /regex/; <end> may also be +<offset> or -<offset>. This option can be given multiple times.')
            [CompletionResult]::new('--since', '--since', [CompletionResultType]::ParameterName, 'Treat commits older than this date as boundaries.')
            [CompletionResult]::new('--after', '--after', [CompletionResultType]::ParameterName, 'Same as --since.')
            [CompletionResult]::new('--max-age', '--max-age', [CompletionResultType]::ParameterName, 'Like --since, in seconds since the epoch.')
            [CompletionResult]::new('--until', '--until', [CompletionResultType]::ParameterName, 'With --reverse, skip commits newer than this date.')
            [CompletionResult]::new('--before', '--before', [CompletionResultType]::ParameterName, 'Same as --until.')
            [CompletionResult]::new('--min-age', '--min-age', [CompletionResultType]::ParameterName, 'Like --until, in seconds since the epoch.')
            [CompletionResult]::new('--since-as-filter', '--since-as-filter', [CompletionResultType]::ParameterName, 'With --reverse, skip commits older than this date.')
            [CompletionResult]::new('--early-output', '--early-output', [CompletionResultType]::ParameterName, 'Same as --topo-order.')
            [CompletionResult]::new('--ancestry-path', '--ancestry-path', [CompletionResultType]::ParameterName, 'Skip commits that are not descendants of the negative revisions, or not related to this commit.')
            [CompletionResult]::new('--default', '--default', [CompletionResultType]::ParameterName, 'Blame this revision if no argument names one.')
            [CompletionResult]::new('--diff-algorithm', '--diff-algorithm', [CompletionResultType]::ParameterName, 'Use this diff algorithm: myers, minimal, patience or histogram.')
            [CompletionResult]::new('--ignore-rev', '--ignore-rev', [CompletionResultType]::ParameterName, 'Ignore this commit when attributing lines. Lines that the commit changed are attributed to the commits that last changed them, or similar lines, before it. This option can be given multiple times.')
            [CompletionResult]::new('--ignore-revs-file', '--ignore-revs-file', [CompletionResultType]::ParameterName, 'Ignore the commits listed in this file. This option can be given multiple times. An empty name clears the list of files given before; --no-ignore-revs-file also clears those of the configuration.')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Detect lines moved or copied from other files. Given once, it looks in files changed by the same commit; twice, also in all files of the commit that created the file; three times, in all files of every commit. It implies -M. The score is the number of letters and digits that lines must have in common (default 40).')
            [CompletionResult]::new('-M', '-M ', [CompletionResultType]::ParameterName, 'Detect lines moved or copied within the file. The score is the number of letters and digits that lines must have in common (default 20).')
            [CompletionResult]::new('--json-fields', '--json-fields', [CompletionResultType]::ParameterName, 'Write --json with these fields: text, release, request, trailers, agent, lines or none. The names are separated by commas. The default is text, the contents of the lines. release is the first tag that contains a commit, request the pull or merge request that brought it; lines, for --tree, the entries of all files.')
            [CompletionResult]::new('--search', '--search', [CompletionResultType]::ParameterName, 'With --file-history, write the commits that changed how often this text occurs. They are those of git log -S<text>, through renames. The text is taken literally, within lines.')
            [CompletionResult]::new('--sort', '--sort', [CompletionResultType]::ParameterName, 'With --tree, sort the entries by name, changed, lines or age. By name is the default. changed is for the last change, newest first, lines for the number of lines, most first, and age for their median age, oldest first. See tblame --generate directories.')
            [CompletionResult]::new('--base', '--base', [CompletionResultType]::ParameterName, 'With --patch, the revision that the patch applies to. The default is, for each file, the commit with the contents that the patch names, otherwise HEAD.')
            [CompletionResult]::new('--places', '--places', [CompletionResultType]::ParameterName, 'Write the lines of standard input, with who wrote the place in a file that each names. The lines are those of a search, a compiler, a linter or a stack trace. Id, date and author stand before each that names a line of a file. The format is text (the default) or sarif. With --json there is one object for each place. On a terminal they are a list. See tblame --generate places.')
            [CompletionResult]::new('--newer-than', '--newer-than', [CompletionResultType]::ParameterName, 'With --places, write those whose lines were written after this date.')
            [CompletionResult]::new('--older-than', '--older-than', [CompletionResultType]::ParameterName, 'With --places, write those whose lines were written before this date.')
            [CompletionResult]::new('--by', '--by', [CompletionResultType]::ParameterName, 'With --places, write those whose author''s name or address contains this text. Upper and lower case are the same. This option can be given multiple times.')
            [CompletionResult]::new('--budget', '--budget', [CompletionResultType]::ParameterName, 'With --why --json, write at most this many bytes. The default is 16000, the least 2000. What is longest is shortened first, then what is last in its list is left out.')
            [CompletionResult]::new('--git-compat', '--git-compat', [CompletionResultType]::ParameterName, 'Write what this version of git writes, instead of the installed one. ''newest'' stands for the newest version, which is also taken if git is not installed.')
            [CompletionResult]::new('--abbrev', '--abbrev', [CompletionResultType]::ParameterName, 'Show ids with this many digits.')
            [CompletionResult]::new('--date', '--date', [CompletionResultType]::ParameterName, 'Show dates in this format, such as iso, short or relative.')
            [CompletionResult]::new('--encoding', '--encoding', [CompletionResultType]::ParameterName, 'Write names and summaries in this encoding.')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'With --places, --patch, --why and lists, use colors: always, never or auto. Id, date and author have the color of their age, removed and added lines those of git diff. auto (the default) is for terminals, unless NO_COLOR is set; for all but --places, color.diff and color.ui count.')
            [CompletionResult]::new('--theme', '--theme', [CompletionResultType]::ParameterName, 'Use this color theme: auto, dark, light or the name of a file. auto (the default) chooses dark or light by the terminal''s background. Other names are files in the directory ''themes'' next to the configuration file.')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Read this configuration file. The default is tblame/config.toml in $XDG_CONFIG_HOME or ~/.config.')
            [CompletionResult]::new('--log', '--log', [CompletionResultType]::ParameterName, 'Write to this file what was decided, and why, for reports of faults. A log of earlier runs is continued; - is refused. It has no contents of files, and names only if TBLAME_LOG_NAMES is set. TBLAME_LOG names the file for all runs.')
            [CompletionResult]::new('--install-shim', '--install-shim', [CompletionResultType]::ParameterName, 'Install tblame under the name git in this directory. Programs that find it first in their PATH then get their blames from tblame. It runs the installed git for all other commands.')
            [CompletionResult]::new('--remove-shim', '--remove-shim', [CompletionResultType]::ParameterName, 'Remove it from this directory, or from those in PATH.')
            [CompletionResult]::new('--generate', '--generate', [CompletionResultType]::ParameterName, 'Print the manual page, a document, or the completions for a shell. It is man, complete-bash, complete-zsh, complete-fish, complete-powershell or complete-elvish, or the name of a document, in Markdown: usage, options, config, directories, line-history, file-history, deletions, places, patches, why, json, cache, security or integrations.')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Use this many threads. The default is the number of processors. The output does not depend on it.')
            [CompletionResult]::new('--topo-order', '--topo-order', [CompletionResultType]::ParameterName, 'With --reverse, visit commits in topological order, as --line-history does.')
            [CompletionResult]::new('--date-order', '--date-order', [CompletionResultType]::ParameterName, 'With --reverse or --line-history, visit commits in topological order, by date.')
            [CompletionResult]::new('--author-date-order', '--author-date-order', [CompletionResultType]::ParameterName, 'Like --date-order, by author dates.')
            [CompletionResult]::new('--exclude-first-parent-only', '--exclude-first-parent-only', [CompletionResultType]::ParameterName, 'Exclude only the first-parent ancestors of negative revisions.')
            [CompletionResult]::new('--simplify-by-decoration', '--simplify-by-decoration', [CompletionResultType]::ParameterName, 'Skip commits that no reference points at.')
            [CompletionResult]::new('--ignore-missing', '--ignore-missing', [CompletionResultType]::ParameterName, 'Skip arguments that are not revisions.')
            [CompletionResult]::new('--walk-reflogs', '--walk-reflogs', [CompletionResultType]::ParameterName, 'Read revisions as names of reflogs, so that the work tree is blamed.')
            [CompletionResult]::new('--first-parent', '--first-parent', [CompletionResultType]::ParameterName, 'Follow only the first parent of merge commits.')
            [CompletionResult]::new('--reverse', '--reverse', [CompletionResultType]::ParameterName, 'Find the last commit in which each line existed. It takes a range <start>..<end>, and starts from the lines of <start>.')
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'Do not treat root commits as boundaries. This can be disabled with --no-root.')
            [CompletionResult]::new('-w', '-w', [CompletionResultType]::ParameterName, 'Ignore whitespace when comparing lines.')
            [CompletionResult]::new('--minimal', '--minimal', [CompletionResultType]::ParameterName, 'Same as --diff-algorithm=minimal. This can be disabled with --no-minimal.')
            [CompletionResult]::new('--textconv', '--textconv', [CompletionResultType]::ParameterName, 'Run text conversion filters (the default). This can be disabled with --no-textconv.')
            [CompletionResult]::new('--find-copies-harder', '--find-copies-harder', [CompletionResultType]::ParameterName, 'Same as -C -C.')
            [CompletionResult]::new('--follow', '--follow', [CompletionResultType]::ParameterName, 'Follow renames of the whole file (the default). This can be disabled with --no-follow.')
            [CompletionResult]::new('--indent-heuristic', '--indent-heuristic', [CompletionResultType]::ParameterName, 'Shift diff boundaries by indentation (the default). This can be disabled with --no-indent-heuristic.')
            [CompletionResult]::new('--auto-ignore-revs', '--auto-ignore-revs', [CompletionResultType]::ParameterName, 'Ignore the commits listed in .git-blame-ignore-revs. The file is looked for in the root of the work tree. This is the default in the viewer only, so that other output stays that of git blame.')
            [CompletionResult]::new('--incremental', '--incremental', [CompletionResultType]::ParameterName, 'Write machine-readable entries as soon as they are found.')
            [CompletionResult]::new('--show-stats', '--show-stats', [CompletionResultType]::ParameterName, 'Append work statistics to the output.')
            [CompletionResult]::new('--progress', '--progress', [CompletionResultType]::ParameterName, 'Report progress on standard error. This is the default where standard error is a terminal, for blames of more than a second. It cannot be combined with machine-readable formats.')
            [CompletionResult]::new('-p', '-p', [CompletionResultType]::ParameterName, 'Write the machine-readable porcelain format.')
            [CompletionResult]::new('--porcelain', '--porcelain', [CompletionResultType]::ParameterName, 'Write the machine-readable porcelain format.')
            [CompletionResult]::new('--line-porcelain', '--line-porcelain', [CompletionResultType]::ParameterName, 'Like --porcelain, with all details on each line.')
            [CompletionResult]::new('-c', '-c', [CompletionResultType]::ParameterName, 'Write the format of git annotate.')
            [CompletionResult]::new('--annotate', '--annotate', [CompletionResultType]::ParameterName, 'Write what git annotate writes.')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write entries as JSON objects as soon as they are found. There is one object per line. See tblame --generate json.')
            [CompletionResult]::new('--line-history', '--line-history', [CompletionResultType]::ParameterName, 'Write the commits that changed the lines of -L instead of a blame. They are those of git log -L, one row for each. With --json there is one object for each, with the lines before and after the change. See tblame --generate line-history.')
            [CompletionResult]::new('--file-history', '--file-history', [CompletionResultType]::ParameterName, 'Write the commits that made the versions of the file, newest first, instead of a blame. They are those of git log --follow, one row for each with the numbers of added and removed lines. With --json there is one object for each. See tblame --generate file-history.')
            [CompletionResult]::new('--deletions', '--deletions', [CompletionResultType]::ParameterName, 'Write the lines that commits deleted, about newest first, instead of a blame. There is a row for each place of each commit, with the line of the file below which the lines were. With --json there is one object for each, with the deleted lines; with -L, those between two lines of a range. See tblame --generate deletions.')
            [CompletionResult]::new('--people', '--people', [CompletionResultType]::ParameterName, 'Write who wrote the lines of a file or directory, most lines first, instead of a blame. There is a row for each author and co-author (Co-authored-by), with the number of lines, their share, the first and the last day, a bar for each year, name and address. A line with co-authors counts for each of them. With --json there is one object for each.')
            [CompletionResult]::new('--tree', '--tree', [CompletionResultType]::ParameterName, 'Write who wrote the entries of a directory and what changed them last, instead of a blame. There is a row for each entry of the directory, or of the current one, in the revision or in the work tree: the day, the id and the author of the last commit, the number of lines, a bar for each year, the name, and who wrote most of it; a line with co-authors counts for each of them. With --json there is one object for each. See tblame --generate directories.')
            [CompletionResult]::new('-r', '-r', [CompletionResultType]::ParameterName, 'With --tree, write all files instead of the entries of the directory.')
            [CompletionResult]::new('--recursive', '--recursive', [CompletionResultType]::ParameterName, 'With --tree, write all files instead of the entries of the directory.')
            [CompletionResult]::new('--generated', '--generated', [CompletionResultType]::ParameterName, 'With --tree or --people, count the lines of generated and binary files with the others. Lock files, binary files, and files that attributes say are generated, are counted apart by default. See tblame --generate directories.')
            [CompletionResult]::new('--patch', '--patch', [CompletionResultType]::ParameterName, 'Write a patch with who wrote the lines that it removes, instead of a blame. The patch comes from standard input, or is that of a range such as A..B. Before each removed line, and before those beside an insertion, stand the id, the day and the author of its commit, and at the end a summary. With --json there is one object for each of these lines. See tblame --generate patches.')
            [CompletionResult]::new('--why', '--why', [CompletionResultType]::ParameterName, 'Write what made the lines of FILE:LINE, FILE:FIRST-LAST or -L what they are. They are the commits of the blame and of the history of the lines, each once with its message, request, release and agent, the commits that these name, and what was deleted there: at most two screens. With --json there is one object for each, within the bytes of --budget. See tblame --generate why.')
            [CompletionResult]::new('-b', '-b', [CompletionResultType]::ParameterName, 'Leave the ids of boundary commits blank.')
            [CompletionResult]::new('--score-debug', '--score-debug', [CompletionResultType]::ParameterName, 'Show the scores of moved and copied lines, for debugging.')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'Show the original file name. It is shown by default where lines come from a file of another name.')
            [CompletionResult]::new('--show-name', '--show-name', [CompletionResultType]::ParameterName, 'Show the original file name. It is shown by default where lines come from a file of another name.')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Show the original line number.')
            [CompletionResult]::new('--show-number', '--show-number', [CompletionResultType]::ParameterName, 'Show the original line number.')
            [CompletionResult]::new('-t', '-t', [CompletionResultType]::ParameterName, 'Show raw timestamps.')
            [CompletionResult]::new('-l', '-l', [CompletionResultType]::ParameterName, 'Show full commit ids.')
            [CompletionResult]::new('-s', '-s', [CompletionResultType]::ParameterName, 'Do not show authors and dates.')
            [CompletionResult]::new('-e', '-e', [CompletionResultType]::ParameterName, 'Show the author''s e-mail address instead of the name. This can be disabled with --no-show-email.')
            [CompletionResult]::new('--show-email', '--show-email', [CompletionResultType]::ParameterName, 'Show the author''s e-mail address instead of the name. This can be disabled with --no-show-email.')
            [CompletionResult]::new('--color-lines', '--color-lines', [CompletionResultType]::ParameterName, 'Color redundant metadata from previous line differently. This can be disabled with --no-color-lines.')
            [CompletionResult]::new('--color-by-age', '--color-by-age', [CompletionResultType]::ParameterName, 'Color lines by age. This can be disabled with --no-color-by-age.')
            [CompletionResult]::new('--relative-date', '--relative-date', [CompletionResultType]::ParameterName, 'Same as --date=relative.')
            [CompletionResult]::new('--demo', '--demo', [CompletionResultType]::ParameterName, 'Take a guided tour of the viewer, on a built-in history.')
            [CompletionResult]::new('--print-config', '--print-config', [CompletionResultType]::ParameterName, 'Print the default configuration, with explanations.')
            [CompletionResult]::new('--viewer', '--viewer', [CompletionResultType]::ParameterName, 'Open the viewer even if standard output is not a terminal. --no-viewer writes what git blame writes, on terminals too.')
            [CompletionResult]::new('--stats', '--stats', [CompletionResultType]::ParameterName, 'Print timings and counts on standard error.')
            [CompletionResult]::new('--report', '--report', [CompletionResultType]::ParameterName, 'Print what a report of a fault needs: versions, system, terminal and repository. It has no names and no contents.')
            [CompletionResult]::new('--cache', '--cache', [CompletionResultType]::ParameterName, 'List the kept blames of each repository, instead of blaming. --no-cache neither uses nor keeps blames of earlier runs.')
            [CompletionResult]::new('--cache-clear', '--cache-clear', [CompletionResultType]::ParameterName, 'Remove all kept blames, or those of the repositories given.')
            [CompletionResult]::new('--verify-cache', '--verify-cache', [CompletionResultType]::ParameterName, 'Blame a file anew, and compare the result with the kept blame.')
            [CompletionResult]::new('--warm', '--warm', [CompletionResultType]::ParameterName, 'Remember the history of HEAD, so that first looks at files are faster. Reads all commits once, and which files they change. Of no use where the repository has a commit-graph with changed-path filters.')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print a list of the options, as git does.')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print this help.')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print the version.')
            break
        }
    })

    $completions.Where{ $_.CompletionText -like "$wordToComplete*" } |
        Sort-Object -Property ListItemText
}
