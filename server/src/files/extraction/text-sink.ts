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

  /** Without characters that no text has, and without more than one empty line in a row. */
  toString(): string {
    return this.#parts
      .join('')
      .toWellFormed()
      .replaceAll(/\r\n?/g, '\n')
      .replaceAll(/[^\P{Cc}\n\t]/gu, ' ')
      .replaceAll(/[^\S\n\t]+/g, ' ')
      .replaceAll(/[ \t]*\n[ \t]*/g, '\n')
      .replaceAll(/\n{3,}/g, '\n\n')
      .trim();
  }
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
