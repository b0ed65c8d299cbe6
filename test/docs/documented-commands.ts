import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const DOCS = join(import.meta.dirname, '../../docs');

/** Commands as a page shows them, in a fence of `sh`. */
export interface CommandBlock {
  /** File and line, for whoever has to look. */
  readonly place: string;
  readonly page: string;
  readonly commands: string;
  /** What stands behind `sh not-run:`. */
  readonly whyNot: string | undefined;
}

/** All of docs/. */
export function documentedCommands(): CommandBlock[] {
  const pages = readdirSync(DOCS).filter((file) => file.endsWith('.md'));
  return pages.toSorted().flatMap((page) => {
    const text = readFileSync(join(DOCS, page), 'utf8');
    return [...text.matchAll(/^```sh(.*)\n([^]*?)^```$/gm)].map((match) => {
      const [, info = '', commands = ''] = match;
      const line = text.slice(0, match.index).split('\n').length;
      const whyNot = /^ not-run: (.+)$/.exec(info)?.[1];
      return { place: `docs/${page}:${line}`, page, commands, whyNot };
    });
  });
}

/** The text of every block of JSON. */
export function documentedJson(): { readonly place: string; readonly text: string }[] {
  const pages = readdirSync(DOCS).filter((file) => file.endsWith('.md'));
  return pages.toSorted().flatMap((page) => {
    const text = readFileSync(join(DOCS, page), 'utf8');
    return [...text.matchAll(/^```json\n([^]*?)^```$/gm)].map((match) => ({
      place: `docs/${page}:${text.slice(0, match.index).split('\n').length}`,
      text: match[1] ?? '',
    }));
  });
}
