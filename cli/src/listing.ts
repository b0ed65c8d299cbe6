import { eachItem, type PageRequest } from '@trellis/client/pages.ts';
import type { List } from '@trellis/contract/shapes/list.ts';
import type { Command } from 'commander';
import { WrongUsage } from './failure.ts';

export interface ListOptions {
  readonly skip?: string;
  readonly take?: string;
}

/** `--skip` and `--take`; without `--take` a command lists everything. */
export function addListOptions(command: Command): Command {
  return command
    .option('--skip <n>', 'skip the first <n>')
    .option('--take <n>', 'show at most <n>, 1 to 1000 (default: all)');
}

export async function listItems<T>(
  options: ListOptions,
  list: (page: Required<PageRequest>) => Promise<List<T>>,
): Promise<T[]> {
  const skip = wholeNumber('--skip', options.skip ?? '0');
  if (options.take !== undefined) {
    return [...(await list({ skip, take: wholeNumber('--take', options.take) })).items];
  }
  const items: T[] = [];
  for await (const item of eachItem((page) => list({ ...page, skip: page.skip + skip }))) {
    items.push(item);
  }
  return items;
}

export function wholeNumber(option: string, text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new WrongUsage(`${option} ${text} is not a whole number`);
}
