import type { Argument, Command, Option } from 'commander';

/** What may be written in a place: one of some words, the name of a file, or any text. */
export type Completed = readonly string[] | 'file' | 'text';

export interface CompletedFlag {
  /** Such as `--port`. */
  readonly name: string;
  readonly description: string;
  /** Undefined for a flag without a value. */
  readonly value: Completed | undefined;
}

/** One command of the program, as a shell must know it. */
export interface CompletedCommand {
  /** The words after `trellis`; none for the program itself. */
  readonly path: readonly string[];
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  readonly flags: readonly CompletedFlag[];
  readonly argument: Completed;
}

const HELP: CompletedFlag = { name: '--help', description: 'show the help', value: undefined };
/** How options and arguments that are names of files are written in the help. */
const IS_FILE = /^(?:file|folder|path|dir)s?$/;

/** Every command of the program, the program first. */
export function completedCommands(program: Command): CompletedCommand[] {
  const global = program.options.filter(({ long }) => long !== '--version').map(completedFlag);
  return commandsBelow(program, [], global);
}

function commandsBelow(
  command: Command,
  path: readonly string[],
  global: readonly CompletedFlag[],
): CompletedCommand[] {
  const flags = [...command.options.map(completedFlag), ...global, HELP];
  const own: CompletedCommand = {
    path,
    commands: command.commands.map((sub) => ({ name: sub.name(), description: summaryOf(sub) })),
    flags: [...new Map(flags.map((flag) => [flag.name, flag])).values()],
    argument: argumentOf(command.registeredArguments),
  };
  const below = command.commands.flatMap((sub) =>
    commandsBelow(sub, [...path, sub.name()], global),
  );
  return [own, ...below];
}

function summaryOf(command: Command): string {
  const text = command.summary() || command.description();
  return text.split(/[.;:] |\.$/, 1)[0] ?? '';
}

function completedFlag(option: Option): CompletedFlag {
  const takesValue = option.required || option.optional;
  return {
    name: option.long ?? option.flags,
    description: option.description,
    value: takesValue
      ? completedBy(option.argChoices, /[<[]([\w-]+)/.exec(option.flags)?.[1])
      : undefined,
  };
}

/** Of all arguments together: a shell does not know which one is written. */
function argumentOf(args: readonly Argument[]): Completed {
  const all = args.map((one) => completedBy(one.argChoices, one.name()));
  const words = all.flatMap((one) => (typeof one === 'string' ? [] : one));
  if (words.length > 0) return words;
  return all.includes('file') ? 'file' : 'text';
}

function completedBy(choices: readonly string[] | undefined, name = ''): Completed {
  return choices ?? (IS_FILE.test(name) ? 'file' : 'text');
}
