import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const DOCS = join(import.meta.dirname, '../../docs');

/** Commands as a page shows them, in a fence of `sh`. */
export interface CommandBlock {
  /** File and line, for whoever has to look. */
  readonly place: string;
  readonly page: string;
  readonly commands: string;
  /** What follows `sh not-run:`. */
  readonly whyNot: string | undefined;
}

/** All of docs/. */
export function documentedCommands(): CommandBlock[] {
  return fences('sh').map(({ place, page, info, text }) => {
    const whyNot = /^ not-run: (.+)$/.exec(info)?.[1];
    return { place, page, commands: text, whyNot };
  });
}

/** The text of every block of JSON. */
export function documentedJson(): { readonly place: string; readonly text: string }[] {
  return fences('json');
}

/** A piece of a program as a page shows it. */
export interface CodeBlock {
  readonly place: string;
  /** The page without its ending, and the how manieth of it: "sdk 2". */
  readonly name: string;
  readonly text: string;
}

/** The blocks of TypeScript and JavaScript. */
export function documentedCode(): CodeBlock[] {
  const pages = Map.groupBy(fences('[tj]s'), ({ page }) => page);
  return [...pages].flatMap(([page, blocks]) =>
    blocks.map(({ place, text }, i) => ({
      place,
      name: `${page.replace(/\.md$/, '')} ${i + 1}`,
      text,
    })),
  );
}

function fences(language: string) {
  const pages = readdirSync(DOCS).filter((file) => file.endsWith('.md'));
  return pages.toSorted().flatMap((page) => {
    const markdown = readFileSync(join(DOCS, page), 'utf8');
    const fence = new RegExp(`^\`\`\`${language}( .*)?\\n([^]*?)^\`\`\`$`, 'gm');
    return [...markdown.matchAll(fence)].map((match) => {
      const line = markdown.slice(0, match.index).split('\n').length;
      const [, info = '', text = ''] = match;
      return { place: `docs/${page}:${line}`, page, info, text };
    });
  });
}
