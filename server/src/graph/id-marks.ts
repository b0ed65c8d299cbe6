const PAGE_IDS = 4_096;
/** With more pages than this (16 MB) all are given back when the marks are next cleared. */
const PAGES_MAX = 4_096;
const ROUNDS_MAX = 255;

/**
 * A set of dense ids that is used again and again. To clear it takes no time, and an id takes a
 * byte. A `Set` takes ten times as long for each id.
 */
export class IdMarks {
  #pages: (Uint8Array | undefined)[] = [];
  #count = 0;
  /** A mark of an earlier round does not count. */
  #round = 0;

  clear(): void {
    if (this.#count > PAGES_MAX) {
      this.#pages = [];
      this.#count = 0;
      this.#round = 0;
    }
    if (this.#round === ROUNDS_MAX) {
      for (const page of this.#pages) page?.fill(0);
      this.#round = 0;
    }
    this.#round++;
  }

  /** Returns false when the id is in it already. */
  add(id: number): boolean {
    const number = Math.floor(id / PAGE_IDS);
    const page = this.#pages[number] ?? this.#addPage(number);
    const at = id % PAGE_IDS;
    if (page[at] === this.#round) return false;
    page[at] = this.#round;
    return true;
  }

  #addPage(number: number): Uint8Array {
    this.#count++;
    return (this.#pages[number] = new Uint8Array(PAGE_IDS));
  }
}

/** Marks for each step that needs some at the same time. */
export class IdMarksPool {
  readonly #free: IdMarks[] = [];

  /** Marks without an id. Give them back, or leave them to the garbage collector. */
  take(): IdMarks {
    const marks = this.#free.pop() ?? new IdMarks();
    marks.clear();
    return marks;
  }

  giveBack(marks: IdMarks): void {
    if (this.#free.length < FREE_MAX) this.#free.push(marks);
  }
}

const FREE_MAX = 4;
