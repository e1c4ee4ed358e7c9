class Tblame < Formula
  desc "Blame viewer for git, exact, fast and streaming"
  homepage "@ADDRESS@"
  version "@VERSION@"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    on_arm do
      url "@ADDRESS@/releases/download/v@VERSION@/tblame-@VERSION@-aarch64-apple-darwin.tar.gz"
      sha256 "@SHA256:aarch64-apple-darwin@"
    end
    on_intel do
      url "@ADDRESS@/releases/download/v@VERSION@/tblame-@VERSION@-x86_64-apple-darwin.tar.gz"
      sha256 "@SHA256:x86_64-apple-darwin@"
    end
  end

  on_linux do
    on_arm do
      url "@ADDRESS@/releases/download/v@VERSION@/tblame-@VERSION@-aarch64-unknown-linux-musl.tar.gz"
      sha256 "@SHA256:aarch64-unknown-linux-musl@"
    end
    on_intel do
      url "@ADDRESS@/releases/download/v@VERSION@/tblame-@VERSION@-x86_64-unknown-linux-musl.tar.gz"
      sha256 "@SHA256:x86_64-unknown-linux-musl@"
    end
  end

  def install
    bin.install "tblame", "git-tblame"
    man1.install "tblame.1", "git-tblame.1"
    bash_completion.install "completions/tblame.bash" => "tblame", "completions/git-tblame.bash" => "git-tblame"
    zsh_completion.install "completions/_tblame", "completions/_git-tblame"
    fish_completion.install "completions/tblame.fish", "completions/git-tblame.fish"
    doc.install Dir["docs/*", "CHANGELOG.md"]
  end

  test do
    system "git", "init", "-q", "."
    (testpath/"a.txt").write "one\n"
    system "git", "add", "a.txt"
    system "git", "-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-q", "-m", "Add a.txt"
    assert_equal shell_output("git blame --porcelain a.txt"), shell_output("#{bin}/tblame --porcelain a.txt")
  end
end
