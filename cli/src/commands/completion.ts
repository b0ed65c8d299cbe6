import { Argument, type Command } from 'commander';
import type { Run } from '../command-context.ts';
import { bashScript } from '../completion/bash.ts';
import { completedCommands } from '../completion/command-tree.ts';
import { fishScript } from '../completion/fish.ts';
import { zshScript } from '../completion/zsh.ts';

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;
type Shell = keyof typeof SCRIPTS;

export function addCompletion(program: Command, run: Run): void {
  program
    .command('completion')
    .summary('print what completes commands in your shell')
    .description(
      'Prints a script with which the shell completes commands, options, their values and files ' +
        'when you press Tab. Put the line for your shell into the file that it reads at its start.',
    )
    .addArgument(new Argument('<shell>', 'your shell').choices(Object.keys(SCRIPTS)))
    .addHelpText(
      'after',
      `
Examples:
  $ source <(trellis completion bash)       # in ~/.bashrc
  $ source <(trellis completion zsh)        # in ~/.zshrc, after compinit
  $ trellis completion fish | source        # in ~/.config/fish/config.fish`,
    )
    .action(
      run(({ output }, _options: unknown, shell: Shell) => {
        const script = SCRIPTS[shell](completedCommands(program));
        output.data({ shell, script }, script);
      }),
    );
}
