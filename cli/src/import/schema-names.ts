/** Names that a field or an edge type cannot have (open-shapes, section 2). */
const TAKEN = ['Iri', 'Id', 'UID', 'Type', 'Timestamp', 'type', 'from', 'to', 'timestamp'];

/** Gives names of the schema to whatever others call theirs, each once. */
export class SchemaNames {
  readonly #used = new Set(['__proto__']);
  /** By a name that was wanted before, the number to try next. */
  readonly #next = new Map<string, number>();

  /** `isField` leaves out the names that every node or edge has itself. */
  constructor(isField: boolean) {
    if (isField) for (const name of TAKEN) this.#used.add(name);
  }

  /** `First name` becomes `First_name`; when two would be alike, the second is `First_name_2`. */
  take(wanted: string): string {
    const name = wanted
      .replaceAll(/[^A-Za-z0-9_]+/g, '_')
      .replace(/^_+/, '')
      .slice(0, 100);
    const first = name === '' ? 'Value' : /^\d/.test(name) ? `N${name}` : name;
    let free = first;
    let count = this.#next.get(first) ?? 2;
    for (; this.#used.has(free); count++) free = `${first}_${count}`;
    this.#next.set(first, count);
    this.#used.add(free);
    return free;
  }
}
