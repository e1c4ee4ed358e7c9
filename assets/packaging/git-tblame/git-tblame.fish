# fish completes `git tblame` as the program git-tblame.
complete -c git-tblame --wraps tblame
