import { type Command, Option } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { makeProject, templateNames } from '../project-template.ts';
import { VERSION } from '../version.ts';

interface InitOptions {
  readonly template: string;
  readonly packages?: string;
}

const TEMPLATE_DEFAULT = 'endpoints';

export function addInit(program: Command, run: Run): void {
  program
    .command('init')
    .summary('make a folder with a schema, endpoints and their tests')
    .description(
      'Makes a folder to keep in git: schema, endpoints, tests, types, and a file for CI. ' +
        'Overwrites nothing. Then "trellis dev" serves it while you write.',
    )
    .argument('[folder]', 'where to', '.')
    .addOption(
      new Option('--template <name>', 'what to begin with')
        .choices(templateNames())
        .default(TEMPLATE_DEFAULT),
    )
    .option(
      '--packages <folder>',
      'take the packages of Trellis from the archives in a folder, and keep them with the files',
    )
    .addHelpText(
      'after',
      `
Examples:
  $ trellis init books
  $ trellis init shop --template web-app
  $ trellis init books --packages ../trellis/dist`,
    )
    .action(run(init));
}

async function init(
  { output }: CommandContext,
  { template, packages }: InitOptions,
  folder: string,
): Promise<void> {
  const files = await makeProject({ folder, template, version: VERSION, packages });
  for (const file of files) output.note(`Wrote ${file}`);
  const enter = folder === '.' ? '' : `cd ${folder} && `;
  output.note(`\nNext: ${enter}npm install && trellis dev`);
  if (packages === undefined) {
    output.note(
      'If npm finds no packages of Trellis, have "npm run package" make them in the repository of ' +
        'Trellis, and begin again with --packages.',
    );
  }
  output.data({ folder, template, files }, '');
}
