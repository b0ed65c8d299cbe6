import MiniSearch from 'minisearch';
import type { AnalysedText } from './sqlite-text.ts';

interface Row extends AnalysedText {
  readonly id: number;
}

/**
 * MiniSearch of texts that are analysed already. It keeps an object for each posting, so that a
 * million documents are too many.
 */
export class MiniSearchText {
  readonly #index: MiniSearch<Row>;

  constructor(namesBoost: number) {
    this.#index = new MiniSearch<Row>({
      fields: ['names', 'gloss'],
      tokenize: (text) => text.split(' '),
      processTerm: (term) => (term === '' ? null : term),
      searchOptions: { boost: { names: namesBoost } },
    });
  }

  add(node: number, text: AnalysedText): void {
    this.#index.add({ id: node, ...text });
  }

  search(terms: readonly string[], combineWith: 'AND' | 'OR', limit: number): number[] {
    const found = this.#index.search(terms.join(' '), { combineWith });
    return found.slice(0, limit).map(({ id }) => Number(id));
  }

  complete(prefix: string, limit: number): number[] {
    const found = this.#index.search(prefix, { prefix: true });
    return found.slice(0, limit).map(({ id }) => Number(id));
  }
}
