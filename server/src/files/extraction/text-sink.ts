import { FILE_TEXT_CHARACTERS_MAX, FILE_TEXT_DEPTH_MAX } from '#base/limits.ts';

/** Thrown to end the reading of a file of which there is enough text. */
export class EnoughText extends Error {
  override readonly name = 'EnoughText';
}

/** Where the text of a file is gathered, as much of it as is kept. */
export class TextSink {
  readonly #parts: string[] = [];
  #length = 0;
  #isCut = false;

  get isCut(): boolean {
    return this.#isCut;
  }

  /** Throws `EnoughText` when there is no room for all of it. */
  add(text: string): void {
    const room = FILE_TEXT_CHARACTERS_MAX - this.#length;
    this.#parts.push(text.slice(0, room));
    this.#length += Math.min(text.length, room);
    if (text.length <= room) return;
    this.#isCut = true;
    throw new EnoughText();
  }

  /** What follows is on the next page. */
  endPage(): void {
    this.add(PAGE_END);
  }

  /**
   * Without characters that no text has, and without more than one empty line in a row. `pages`
   * says where each page begins; it is empty for a text that is not cut into pages.
   */
  finished(): { readonly text: string; readonly pages: readonly number[] } {
    const parts = this.#parts.join('').split(PAGE_END).map(cleaned);
    // A form feed at the end ends the last page, and begins none.
    if (parts.length > 1 && parts.at(-1) === '') parts.pop();
    let text = '';
    const pages: number[] = [];
    for (const part of parts) {
      if (part !== '' && text !== '') text += '\n\n';
      pages.push(text.length);
      text += part;
    }
    return { text, pages: pages.length > 1 ? pages : [] };
  }
}

/** The form feed, with which texts end pages. */
const PAGE_END = '\f';

function cleaned(part: string): string {
  return part
    .toWellFormed()
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/[^\P{Cc}\n\t]/gu, ' ')
    .replaceAll(/[^\S\n\t]+/g, ' ')
    .replaceAll(/[ \t]*\n[ \t]*/g, '\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}

/** Counts elements within each other: what closes one looks through all that are open. */
export class Depth {
  #depth = 0;

  /** Throws when there are too many. */
  enter(): void {
    if (++this.#depth > FILE_TEXT_DEPTH_MAX) throw new Error('it is nested too deeply');
  }

  leave(): void {
    this.#depth--;
  }
}
