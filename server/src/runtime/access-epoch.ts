import { settingVersion } from '#access/settings.ts';
import { TYPE_ACCESS_SETTING } from '#access/type-rules.ts';
import type { GraphReader } from '#graph/reader.ts';

/**
 * A number that changes with every change of who may see what: of restrictions of nodes, members of
 * teams, owners, and access of types. What was answered at one of them may not be given again at
 * another.
 */
export class AccessEpoch {
  readonly #reader: GraphReader;
  #sequence = -1;
  #typeVersion = -1;
  #epoch = 0;

  constructor(reader: GraphReader) {
    this.#reader = reader;
  }

  /** As of the newest commit. */
  current(): number {
    const sequence = this.#reader.refresh();
    if (sequence === this.#sequence) return this.#epoch;
    const changes = this.#sequence < 0 ? [] : this.#reader.accessChangesSince(this.#sequence);
    const typeVersion = settingVersion(this.#reader, TYPE_ACCESS_SETTING);
    if (changes?.length !== 0 || typeVersion !== this.#typeVersion) this.#epoch++;
    this.#sequence = sequence;
    this.#typeVersion = typeVersion;
    return this.#epoch;
  }
}
