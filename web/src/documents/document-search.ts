import type MiniSearch from 'minisearch';

const HITS_MAX = 12;
const EXCERPT_CHARACTERS = 160;
/** How much of the excerpt stands before the first word that was found. */
const EXCERPT_LEAD_CHARACTERS = 40;

/** Pages with a section for each of many things: after those that explain them. */
const FOR_A_LOOK_UP = /^(?:reference|decisions)\//;

/** As `tools/docs.ts` writes it: the parts name their page by its index. */
interface SearchedDocuments {
  readonly pages: readonly (readonly [path: string, title: string])[];
  readonly parts: readonly (readonly [
    page: number,
    anchor: string,
    heading: string,
    text: string,
  ])[];
}

interface SearchedPart {
  readonly id: number;
  readonly path: string;
  readonly href: string;
  readonly title: string;
  readonly heading: string;
  readonly text: string;
}

interface ExcerptPiece {
  readonly text: string;
  readonly isMarked: boolean;
}

export interface Hit {
  readonly href: string;
  readonly title: string;
  readonly excerpt: readonly ExcerptPiece[];
}

/** Searches all documents in the browser; loads them when somebody is about to search. */
export class DocumentSearch {
  readonly #root: string;
  #loaded: Promise<{ index: MiniSearch<SearchedPart>; parts: readonly SearchedPart[] }> | undefined;

  constructor(root: string) {
    this.#root = root;
  }

  load() {
    // What could not be loaded is asked for again.
    this.#loaded ??= this.#read().catch((error: unknown) => {
      this.#loaded = undefined;
      throw error;
    });
    return this.#loaded;
  }

  /** The best first: parts with all of the words or, when there are none, with any. */
  async hits(query: string): Promise<Hit[]> {
    const { index, parts } = await this.load();
    const all = index.search(query, { combineWith: 'AND' });
    const found = all.length > 0 ? all : index.search(query);
    return found.slice(0, HITS_MAX).flatMap(({ id, terms }) => {
      const part = parts[Number(id)];
      return part === undefined ? [] : [hitOf(part, terms)];
    });
  }

  async #read() {
    const [{ default: MiniSearch }, response] = await Promise.all([
      import('minisearch'),
      fetch(`${this.#root}/search.json`),
    ]);
    const documents: SearchedDocuments = await response.json();
    const parts = documents.parts.map(([page, anchor, heading, text], id) => {
      const [path = '', title = ''] = documents.pages[page] ?? [];
      const href = `${this.#root}/${path}${anchor === '' ? '' : `#${anchor}`}`;
      return { id, path, href, title, heading, text };
    });
    const index = new MiniSearch<SearchedPart>({
      fields: ['title', 'heading', 'text'],
      searchOptions: {
        boost: { title: 3, heading: 4 },
        boostDocument: (id) => (FOR_A_LOOK_UP.test(parts[Number(id)]?.path ?? '') ? 0.5 : 1),
        prefix: true,
        fuzzy: 0.15,
      },
    });
    index.addAll(parts);
    return { index, parts };
  }
}

function hitOf({ href, title, heading, text }: SearchedPart, terms: readonly string[]): Hit {
  const isWhole = heading === '' || heading === title;
  return {
    href,
    title: isWhole ? title : `${title} › ${heading}`,
    excerpt: excerptOf(text, terms),
  };
}

function excerptOf(text: string, terms: readonly string[]): ExcerptPiece[] {
  const lower = text.toLowerCase();
  const places = terms.map((term) => lower.indexOf(term)).filter((place) => place >= 0);
  const first = places.length === 0 ? 0 : Math.min(...places);
  const from = Math.max(0, first - EXCERPT_LEAD_CHARACTERS);
  const excerpt = `${from > 0 ? '… ' : ''}${text.slice(from, from + EXCERPT_CHARACTERS)}`;
  if (terms.length === 0) return [{ text: excerpt, isMarked: false }];
  const words = terms.map((term) => RegExp.escape(term)).join('|');
  // What a group of the pattern holds stands at every second place.
  const pieces = excerpt.split(new RegExp(`(${words})`, 'iu'));
  return pieces.map((piece, i) => ({ text: piece, isMarked: i % 2 === 1 }));
}
