import type { Token, Tokens } from 'marked';
import Papa from 'papaparse';
import { known } from './markdown-tokens.ts';

/** But for numbers with a sign. */
const FORMULA = /^(?![+-][\d.,\s]*%?$)[=+\-@\t\r]/;

/**
 * The table as text for other programs, its cells without marks. What a spreadsheet would take for
 * a formula is escaped: a text in the graph may have told the model to write one.
 */
export function tableText({ header, rows }: Tokens.Table, delimiter: ',' | '\t'): string {
  const lines = [header, ...rows].map((cells) => cells.map(({ tokens }) => plainText(tokens)));
  return Papa.unparse(lines, { delimiter, escapeFormulae: FORMULA });
}

function plainText(tokens: readonly Token[]): string {
  return known(tokens)
    .map((token) => {
      if (token.type === 'br') return '\n';
      if (token.type === 'strong' || token.type === 'em' || token.type === 'del') {
        return plainText(token.tokens);
      }
      return 'text' in token ? token.text : token.raw;
    })
    .join('');
}

const FENCE = /^ {0,3}(?:```|~~~)/gm;
const ROW = /^ {0,3}\|/;

/**
 * The text of which more comes, with the line under the heads of a table completed where the text
 * ends in the middle of it: a table is a table from its first head on, and never letters first.
 */
export function withWholeTable(text: string): string {
  const lines = text.slice(text.lastIndexOf('\n\n') + 1).split('\n');
  const head = lines.findIndex((line) => ROW.test(line));
  const under = lines[head + 1] ?? '';
  const isBegun = head >= 0 && head >= lines.length - 2 && /^[\s|:-]*$/.test(under);
  if (!isBegun || (text.match(FENCE) ?? []).length % 2 === 1) return text;
  const heads = cellsOf(lines[head] ?? '');
  // A table without a head is none yet.
  if (heads.every((cell) => cell.trim() === '')) return text.slice(0, text.lastIndexOf('|'));
  const whole = cellsOf(under);
  const delimiters = heads.map((_, at) => {
    const cell = whole[at]?.trim() ?? '';
    return /^:?-+:?$/.test(cell) ? cell : '---';
  });
  const kept = under === '' ? text.trimEnd() : text.slice(0, -under.length).trimEnd();
  return `${kept}\n|${delimiters.join('|')}|`;
}

function cellsOf(line: string): readonly string[] {
  return line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '')
    .split(/(?<!\\)\|/);
}
