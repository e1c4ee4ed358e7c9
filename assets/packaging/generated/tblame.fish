complete -c tblame -s S -d 'Read the parents of commits from this file.' -r -F
complete -c tblame -l contents -d 'Blame the contents of this file (- for standard input).' -r -F
complete -c tblame -s L -d 'Blame only the lines <start>,<end>, or the function :<funcname>. <start> and <end> are line numbers or /regex/; <end> may also be +<offset> or -<offset>. This option can be given multiple times.' -r
complete -c tblame -l since -d 'Treat commits older than this date as boundaries.' -r
complete -c tblame -l after -d 'Same as --since.' -r
complete -c tblame -l max-age -d 'Like --since, in seconds since the epoch.' -r
complete -c tblame -l until -d 'With --reverse, skip commits newer than this date.' -r
complete -c tblame -l before -d 'Same as --until.' -r
complete -c tblame -l min-age -d 'Like --until, in seconds since the epoch.' -r
complete -c tblame -l since-as-filter -d 'With --reverse, skip commits older than this date.' -r
complete -c tblame -l early-output -d 'Same as --topo-order.' -r
complete -c tblame -l ancestry-path -d 'Skip commits that are not descendants of the negative revisions, or not related to this commit.' -r
complete -c tblame -l default -d 'Blame this revision if no argument names one.' -r
complete -c tblame -l diff-algorithm -d 'Use this diff algorithm: myers, minimal, patience or histogram.' -r -f -a "myers\t''
minimal\t''
patience\t''
histogram\t''"
complete -c tblame -l ignore-rev -d 'Ignore this commit when attributing lines. Lines that the commit changed are attributed to the commits that last changed them, or similar lines, before it. This option can be given multiple times.' -r
complete -c tblame -l ignore-revs-file -d 'Ignore the commits listed in this file. This option can be given multiple times. An empty name clears the list of files given before; --no-ignore-revs-file also clears those of the configuration.' -r -F
complete -c tblame -s C -d 'Detect lines moved or copied from other files. Given once, it looks in files changed by the same commit; twice, also in all files of the commit that created the file; three times, in all files of every commit. It implies -M. The score is the number of letters and digits that lines must have in common (default 40).' -r
complete -c tblame -s M -d 'Detect lines moved or copied within the file. The score is the number of letters and digits that lines must have in common (default 20).' -r
complete -c tblame -l json-fields -d 'Write --json with these fields: text, release, request, trailers, agent, lines or none. The names are separated by commas. The default is text, the contents of the lines. release is the first tag that contains a commit, request the pull or merge request that brought it; lines, for --tree, the entries of all files.' -r -f -a "text\t''
release\t''
request\t''
trailers\t''
agent\t''
lines\t''
none\t''"
complete -c tblame -l search -d 'With --file-history, write the commits that changed how often this text occurs. They are those of git log -S<text>, through renames. The text is taken literally, within lines.' -r
complete -c tblame -l sort -d 'With --tree, sort the entries by name, changed, lines or age. By name is the default. changed is for the last change, newest first, lines for the number of lines, most first, and age for their median age, oldest first. See tblame --generate directories.' -r -f -a "name\t''
changed\t''
lines\t''
age\t''"
complete -c tblame -l base -d 'With --patch, the revision that the patch applies to. The default is, for each file, the commit with the contents that the patch names, otherwise HEAD.' -r
complete -c tblame -l places -d 'Write the lines of standard input, with who wrote the place in a file that each names. The lines are those of a search, a compiler, a linter or a stack trace. Id, date and author stand before each that names a line of a file. The format is text (the default) or sarif. With --json there is one object for each place. On a terminal they are a list. See tblame --generate places.' -r
complete -c tblame -l newer-than -d 'With --places, write those whose lines were written after this date.' -r
complete -c tblame -l older-than -d 'With --places, write those whose lines were written before this date.' -r
complete -c tblame -l by -d 'With --places, write those whose author\'s name or address contains this text. Upper and lower case are the same. This option can be given multiple times.' -r
complete -c tblame -l budget -d 'With --why --json, write at most this many bytes. The default is 16000, the least 2000. What is longest is shortened first, then what is last in its list is left out.' -r
complete -c tblame -l git-compat -d 'Write what this version of git writes, instead of the installed one. \'newest\' stands for the newest version, which is also taken if git is not installed.' -r
complete -c tblame -l abbrev -d 'Show ids with this many digits.' -r
complete -c tblame -l date -d 'Show dates in this format, such as iso, short or relative.' -r -f -a "iso\t''
iso-strict\t''
short\t''
relative\t''
human\t''
raw\t''
unix\t''
rfc\t''
local\t''
default\t''"
complete -c tblame -l encoding -d 'Write names and summaries in this encoding.' -r
complete -c tblame -l color -d 'With --places, --patch, --why and lists, use colors: always, never or auto. Id, date and author have the color of their age, removed and added lines those of git diff. auto (the default) is for terminals, unless NO_COLOR is set; for all but --places, color.diff and color.ui count.' -r
complete -c tblame -l theme -d 'Use this color theme: auto, dark, light or the name of a file. auto (the default) chooses dark or light by the terminal\'s background. Other names are files in the directory \'themes\' next to the configuration file.' -r -f -a "auto\t''
dark\t''
light\t''"
complete -c tblame -l config -d 'Read this configuration file. The default is tblame/config.toml in $XDG_CONFIG_HOME or ~/.config.' -r -F
complete -c tblame -l log -d 'Write to this file what was decided, and why, for reports of faults. A log of earlier runs is continued; - is refused. It has no contents of files, and names only if TBLAME_LOG_NAMES is set. TBLAME_LOG names the file for all runs.' -r -F
complete -c tblame -l install-shim -d 'Install tblame under the name git in this directory. Programs that find it first in their PATH then get their blames from tblame. It runs the installed git for all other commands.' -r -f -a "(__fish_complete_directories)"
complete -c tblame -l remove-shim -d 'Remove it from this directory, or from those in PATH.' -r -f -a "(__fish_complete_directories)"
complete -c tblame -l generate -d 'Print the manual page, a document, or the completions for a shell. It is man, complete-bash, complete-zsh, complete-fish, complete-powershell or complete-elvish, or the name of a document, in Markdown: usage, options, config, directories, line-history, file-history, deletions, places, patches, why, json, cache, security or integrations.' -r -f -a "man\t''
complete-bash\t''
complete-zsh\t''
complete-fish\t''
complete-powershell\t''
complete-elvish\t''
usage\t''
options\t''
config\t''
directories\t''
line-history\t''
file-history\t''
deletions\t''
places\t''
patches\t''
why\t''
json\t''
cache\t''
security\t''
integrations\t''"
complete -c tblame -l threads -d 'Use this many threads. The default is the number of processors. The output does not depend on it.' -r
complete -c tblame -l topo-order -d 'With --reverse, visit commits in topological order, as --line-history does.'
complete -c tblame -l date-order -d 'With --reverse or --line-history, visit commits in topological order, by date.'
complete -c tblame -l author-date-order -d 'Like --date-order, by author dates.'
complete -c tblame -l exclude-first-parent-only -d 'Exclude only the first-parent ancestors of negative revisions.'
complete -c tblame -l simplify-by-decoration -d 'Skip commits that no reference points at.'
complete -c tblame -l ignore-missing -d 'Skip arguments that are not revisions.'
complete -c tblame -l walk-reflogs -d 'Read revisions as names of reflogs, so that the work tree is blamed.'
complete -c tblame -l first-parent -d 'Follow only the first parent of merge commits.'
complete -c tblame -l reverse -d 'Find the last commit in which each line existed. It takes a range <start>..<end>, and starts from the lines of <start>.'
complete -c tblame -l root -d 'Do not treat root commits as boundaries. This can be disabled with --no-root.'
complete -c tblame -s w -d 'Ignore whitespace when comparing lines.'
complete -c tblame -l minimal -d 'Same as --diff-algorithm=minimal. This can be disabled with --no-minimal.'
complete -c tblame -l textconv -d 'Run text conversion filters (the default). This can be disabled with --no-textconv.'
complete -c tblame -l find-copies-harder -d 'Same as -C -C.'
complete -c tblame -l follow -d 'Follow renames of the whole file (the default). This can be disabled with --no-follow.'
complete -c tblame -l indent-heuristic -d 'Shift diff boundaries by indentation (the default). This can be disabled with --no-indent-heuristic.'
complete -c tblame -l auto-ignore-revs -d 'Ignore the commits listed in .git-blame-ignore-revs. The file is looked for in the root of the work tree. This is the default in the viewer only, so that other output stays that of git blame.'
complete -c tblame -l incremental -d 'Write machine-readable entries as soon as they are found.'
complete -c tblame -l show-stats -d 'Append work statistics to the output.'
complete -c tblame -l progress -d 'Report progress on standard error. This is the default where standard error is a terminal, for blames of more than a second. It cannot be combined with machine-readable formats.'
complete -c tblame -s p -l porcelain -d 'Write the machine-readable porcelain format.'
complete -c tblame -l line-porcelain -d 'Like --porcelain, with all details on each line.'
complete -c tblame -s c -d 'Write the format of git annotate.'
complete -c tblame -l annotate -d 'Write what git annotate writes.'
complete -c tblame -l json -d 'Write entries as JSON objects as soon as they are found. There is one object per line. See tblame --generate json.'
complete -c tblame -l line-history -d 'Write the commits that changed the lines of -L instead of a blame. They are those of git log -L, one row for each. With --json there is one object for each, with the lines before and after the change. See tblame --generate line-history.'
complete -c tblame -l file-history -d 'Write the commits that made the versions of the file, newest first, instead of a blame. They are those of git log --follow, one row for each with the numbers of added and removed lines. With --json there is one object for each. See tblame --generate file-history.'
complete -c tblame -l deletions -d 'Write the lines that commits deleted, about newest first, instead of a blame. There is a row for each place of each commit, with the line of the file below which the lines were. With --json there is one object for each, with the deleted lines; with -L, those between two lines of a range. See tblame --generate deletions.'
complete -c tblame -l people -d 'Write who wrote the lines of a file or directory, most lines first, instead of a blame. There is a row for each author and co-author (Co-authored-by), with the number of lines, their share, the first and the last day, a bar for each year, name and address. A line with co-authors counts for each of them. With --json there is one object for each.'
complete -c tblame -l tree -d 'Write who wrote the entries of a directory and what changed them last, instead of a blame. There is a row for each entry of the directory, or of the current one, in the revision or in the work tree: the day, the id and the author of the last commit, the number of lines, a bar for each year, the name, and who wrote most of it; a line with co-authors counts for each of them. With --json there is one object for each. See tblame --generate directories.'
complete -c tblame -s r -l recursive -d 'With --tree, write all files instead of the entries of the directory.'
complete -c tblame -l generated -d 'With --tree or --people, count the lines of generated and binary files with the others. Lock files, binary files, and files that attributes say are generated, are counted apart by default. See tblame --generate directories.'
complete -c tblame -l patch -d 'Write a patch with who wrote the lines that it removes, instead of a blame. The patch comes from standard input, or is that of a range such as A..B. Before each removed line, and before those beside an insertion, stand the id, the day and the author of its commit, and at the end a summary. With --json there is one object for each of these lines. See tblame --generate patches.'
complete -c tblame -l why -d 'Write what made the lines of FILE:LINE, FILE:FIRST-LAST or -L what they are. They are the commits of the blame and of the history of the lines, each once with its message, request, release and agent, the commits that these name, and what was deleted there: at most two screens. With --json there is one object for each, within the bytes of --budget. See tblame --generate why.'
complete -c tblame -s b -d 'Leave the ids of boundary commits blank.'
complete -c tblame -l score-debug -d 'Show the scores of moved and copied lines, for debugging.'
complete -c tblame -s f -l show-name -d 'Show the original file name. It is shown by default where lines come from a file of another name.'
complete -c tblame -s n -l show-number -d 'Show the original line number.'
complete -c tblame -s t -d 'Show raw timestamps.'
complete -c tblame -s l -d 'Show full commit ids.'
complete -c tblame -s s -d 'Do not show authors and dates.'
complete -c tblame -s e -l show-email -d 'Show the author\'s e-mail address instead of the name. This can be disabled with --no-show-email.'
complete -c tblame -l color-lines -d 'Color redundant metadata from previous line differently. This can be disabled with --no-color-lines.'
complete -c tblame -l color-by-age -d 'Color lines by age. This can be disabled with --no-color-by-age.'
complete -c tblame -l relative-date -d 'Same as --date=relative.'
complete -c tblame -l demo -d 'Take a guided tour of the viewer, on a built-in history.'
complete -c tblame -l print-config -d 'Print the default configuration, with explanations.'
complete -c tblame -l viewer -d 'Open the viewer even if standard output is not a terminal. --no-viewer writes what git blame writes, on terminals too.'
complete -c tblame -l stats -d 'Print timings and counts on standard error.'
complete -c tblame -l report -d 'Print what a report of a fault needs: versions, system, terminal and repository. It has no names and no contents.'
complete -c tblame -l cache -d 'List the kept blames of each repository, instead of blaming. --no-cache neither uses nor keeps blames of earlier runs.'
complete -c tblame -l cache-clear -d 'Remove all kept blames, or those of the repositories given.'
complete -c tblame -l verify-cache -d 'Blame a file anew, and compare the result with the kept blame.'
complete -c tblame -l warm -d 'Remember the history of HEAD, so that first looks at files are faster. Reads all commits once, and which files they change. Of no use where the repository has a commit-graph with changed-path filters.'
complete -c tblame -s h -d 'Print a list of the options, as git does.'
complete -c tblame -l help -d 'Print this help.'
complete -c tblame -l version -d 'Print the version.'
complete -c tblame --wraps 'git blame'
