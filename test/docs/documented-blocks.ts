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

/** Its blocks build on each other, in several terminals: `tutorial.test.ts` runs them. */
const TUTORIAL = 'tutorial.md';

/** All of docs/ but the tutorial. */
export function documentedCommands(): CommandBlock[] {
  const others = fences('sh').filter(({ page }) => page !== TUTORIAL);
  return others.map(({ place, page, info, text }) => {
    const whyNot = /^ not-run: (.+)$/.exec(info)?.[1];
    return { place, page, commands: text, whyNot };
  });
}

/** A block of the tutorial. */
export interface TutorialBlock {
  readonly place: string;
  readonly commands: string;
  /** Where the reader types it; the second one unless the block says otherwise. */
  readonly terminal: string;
  /** A server: it is ready when it says so. */
  readonly keepsRunning: boolean;
  readonly fails: boolean;
  /** What the page shows that it prints. */
  readonly prints: string | undefined;
}

/** The tutorial's blocks of commands, each with the block of text or JSON that comes after it. */
export function tutorialBlocks(): TutorialBlock[] {
  const found = fences('sh|text|json').filter(({ page }) => page === TUTORIAL);
  return found.flatMap(({ language, place, info, text }, i) => {
    if (language !== 'sh') return [];
    const words = info.trim().split(' ');
    const [next] = found.slice(i + 1);
    return {
      place,
      commands: text,
      terminal: words.find((word) => word.startsWith('terminal-')) ?? 'terminal-2',
      keepsRunning: words.includes('keeps-running'),
      fails: words.includes('fails'),
      prints: next === undefined || next.language === 'sh' ? undefined : next.text,
    };
  });
}

/** The text of every block of JSON. */
export function documentedJson(): { readonly place: string; readonly text: string }[] {
  return fences('json');
}

/** The blocks of a page that show files of this kind. */
export function documentedFiles(page: string, language: 'csv' | 'jsonl'): string[] {
  return fences(language).flatMap((fence) => (fence.page === page ? [fence.text] : []));
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

/** `language` is the source of a regular expression. */
function fences(language: string) {
  const pages = readdirSync(DOCS).filter((file) => file.endsWith('.md'));
  return pages.toSorted().flatMap((page) => {
    const markdown = readFileSync(join(DOCS, page), 'utf8');
    const fence = new RegExp(`^\`\`\`(${language})( .*)?\\n([^]*?)^\`\`\`$`, 'gm');
    return [...markdown.matchAll(fence)].map((match) => {
      const line = markdown.slice(0, match.index).split('\n').length;
      const [, tag = '', info = '', text = ''] = match;
      return { place: `docs/${page}:${line}`, page, language: tag, info, text };
    });
  });
}
