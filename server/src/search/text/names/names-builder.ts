import { assert } from '#base/assert.ts';
import { NumberList } from '../number-list.ts';
import { ByteWriter, documentWidth } from '../postings-writer.ts';
import { sortStrings } from '../sort-strings.ts';
import { BLOCK_NAMES, type NameBytes, packedName } from './name-table.ts';

const OFFSET_MAX = 2 ** 32 - 1;

/** Writes a `NameTable`, name by name in ascending order. */
export class NamesWriter {
  readonly #names = new ByteWriter();
  readonly #entries = new ByteWriter();
  readonly #blockStarts = new NumberList();
  readonly #blockEntries = new NumberList();
  readonly #documentBytes: number;
  #before = '';
  #nameCount = 0;
  #entryCount = 0;
  /** Entries of the name that is not finished. */
  #added = 0;

  constructor(documentCount: number) {
    this.#documentBytes = documentWidth(documentCount);
  }

  /** By ascending document of the name. */
  addEntry(document: number, field: number): void {
    this.#entries.fixed(document, this.#documentBytes);
    this.#entries.fixed(field, 2);
    this.#added++;
  }

  /** Ends the entries of a packed name. It is not kept where it has none. */
  finishName(name: string): void {
    if (this.#added === 0) return;
    if (this.#nameCount++ % BLOCK_NAMES === 0) {
      this.#blockStarts.push(this.#names.length);
      this.#blockEntries.push(this.#entryCount);
      this.#before = '';
    }
    const before = this.#before;
    const most = Math.min(before.length, name.length);
    let shared = 0;
    while (shared < most && before.charCodeAt(shared) === name.charCodeAt(shared)) shared++;
    this.#names.variable(shared);
    this.#names.variable(name.length - shared);
    this.#names.variable(this.#added);
    for (let i = shared; i < name.length; i++) this.#names.byte(name.charCodeAt(i));
    this.#before = name;
    this.#entryCount += this.#added;
    this.#added = 0;
  }

  finish(): NameBytes {
    assert(this.#names.length <= OFFSET_MAX, 'the names of a segment take less than 4 GiB');
    this.#blockStarts.push(this.#names.length);
    this.#blockEntries.push(this.#entryCount);
    return {
      blockStarts: this.#blockStarts.values,
      blockEntries: this.#blockEntries.values,
      names: this.#names.written,
      entries: this.#entries.written,
    };
  }
}

/** Collects the names of documents in any order. */
export class NamesBuilder {
  /** Name -> its number, in the order in which they came. */
  readonly #numbers = new Map<string, number>();
  readonly #names = new NumberList();
  readonly #documents = new NumberList();
  readonly #fields = new NumberList();

  /** How many times names were added. */
  get length(): number {
    return this.#names.length;
  }

  /** Documents ascend. */
  add(folded: string, document: number, field: number): void {
    const name = packedName(folded);
    let number = this.#numbers.get(name);
    if (number === undefined) this.#numbers.set(name, (number = this.#numbers.size));
    this.#names.push(number);
    this.#documents.push(document);
    this.#fields.push(field);
  }

  finish(documentCount: number): NameBytes {
    const writer = new NamesWriter(documentCount);
    const starts = new Uint32Array(this.#numbers.size + 1);
    for (const number of this.#names.values) starts[number + 1]! += 1;
    for (let i = 1; i < starts.length; i++) starts[i]! += starts[i - 1]!;
    const next = starts.slice();
    const sorted = new Uint32Array(this.#names.length);
    this.#names.values.forEach((number, at) => {
      sorted[next[number]!] = at;
      next[number]! += 1;
    });
    for (const name of sortStrings([...this.#numbers.keys()])) {
      const number = this.#numbers.get(name)!;
      for (const at of sorted.subarray(starts[number], starts[number + 1])) {
        writer.addEntry(this.#documents.at(at), this.#fields.at(at));
      }
      writer.finishName(name);
    }
    return writer.finish();
  }
}
