# In a clone: nix build 'git+file:.?dir=assets/packaging/nix'
{
  description = "A terminal blame viewer for git";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs =
    { self, nixpkgs }:
    let
      manifest = (builtins.fromTOML (builtins.readFile ../../../Cargo.toml)).package;
      systems = [
        "x86_64-linux"
        "aarch64-linux"
        "x86_64-darwin"
        "aarch64-darwin"
      ];
      forEach = make: nixpkgs.lib.genAttrs systems (system: make nixpkgs.legacyPackages.${system});
    in
    {
      packages = forEach (pkgs: {
        default = pkgs.rustPlatform.buildRustPackage {
          pname = manifest.name;
          inherit (manifest) version;
          src = ../../..;
          cargoLock.lockFile = ../../../Cargo.lock;
          buildType = "dist";
          # The tests compare with git, and need some minutes.
          doCheck = false;
          nativeBuildInputs = [ pkgs.installShellFiles ];
          postInstall = ''
            installManPage assets/packaging/generated/tblame.1 assets/packaging/git-tblame/git-tblame.1
            installShellCompletion --cmd tblame \
              --bash assets/packaging/generated/tblame.bash \
              --zsh assets/packaging/generated/_tblame \
              --fish assets/packaging/generated/tblame.fish
            installShellCompletion --cmd git-tblame \
              --bash assets/packaging/git-tblame/git-tblame.bash \
              --zsh assets/packaging/git-tblame/_git-tblame \
              --fish assets/packaging/git-tblame/git-tblame.fish
          '';
          meta = {
            inherit (manifest) description;
            # assets/packaging/fill puts it into Cargo.toml.
            homepage = manifest.repository or null;
            license = with pkgs.lib.licenses; [
              mit
              asl20
            ];
            mainProgram = "tblame";
          };
        };
      });

      devShells = forEach (pkgs: {
        default = pkgs.mkShell {
          packages = with pkgs; [
            cargo
            clippy
            git
            rustc
            rustfmt
          ];
        };
      });
    };
}
