import type { WebdavSource } from '@trellis/contract/shapes/connector.ts';
import { NO_READERS, type SourceReaders } from './source-readers.ts';

interface PathRule {
  /** As the settings write it. */
  readonly told: string;
  readonly path: readonly string[];
  readonly readers: SourceReaders;
}

/** Who may see what is below which path, as settings say it. */
export class PathRules {
  readonly #rules: readonly PathRule[];
  readonly #unused: Set<PathRule>;

  constructor(rules: WebdavSource['rules']) {
    this.#rules = rules.map(({ path, users, teams }) => ({
      told: path,
      path: comparable(path)
        .split('/')
        .filter((name) => name !== ''),
      readers: { users, groups: teams },
    }));
    this.#unused = new Set(this.#rules);
  }

  /** Paths of rules that have led to nothing so far: somebody may have written them wrong. */
  unused(): string[] {
    return Array.from(this.#unused, ({ told }) => told);
  }

  /** Of the rules that lead to it the longest counts; without one nobody may see it. */
  readersOf(path: string): SourceReaders {
    const names = comparable(path).split('/');
    const fitting = this.#rules.filter((rule) => rule.path.every((name, i) => names[i] === name));
    for (const rule of fitting) this.#unused.delete(rule);
    const [longest] = fitting.toSorted((a, b) => b.path.length - a.path.length);
    return longest?.readers ?? NO_READERS;
  }
}

/**
 * Sources list an "ü" as one character or as two, whatever a rule says: a folder that its rule did
 * not fit would be shown by that of the folder above.
 */
function comparable(path: string): string {
  return path.normalize('NFC');
}
