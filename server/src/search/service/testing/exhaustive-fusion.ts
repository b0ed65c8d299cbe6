import { expect } from 'vitest';
import { must } from '#base/assert.ts';
import type { SearchHit } from '../present-hit.ts';
import {
  DAY_MS,
  NOW,
  TEXTS,
  TYPES,
  VECTORS,
  type SceneNode,
  type VectorRequest,
  type VectorScene,
} from './vector-scene.ts';

const ALL = 1_000;

/** A hit as it should be. */
export interface ExpectedHit {
  readonly id: number;
  readonly from: string;
  readonly score: number;
  readonly type: string;
  readonly timestamp: number;
}

/**
 * Searches a scene by looking at each node. What words find alone, and what a filter lets pass, it
 * takes from searches for words.
 */
export class ExhaustiveFusion {
  readonly #scene: VectorScene;

  constructor(scene: VectorScene) {
    this.#scene = scene;
  }

  /** A field with vectors is searched and may be read. */
  hasVectors(asked: VectorRequest): boolean {
    return this.#fieldsOf(asked).length > 0;
  }

  #fieldsOf(asked: Pick<VectorRequest, 'types' | 'fields'>): string[] {
    const types: readonly string[] = asked.types ?? Object.keys(TYPES);
    const fields: readonly string[] = asked.fields ?? VECTORS;
    return Object.entries(TYPES).flatMap(([type, all]) =>
      types.includes(type)
        ? VECTORS.filter((name) => name in all && fields.includes(name))
            .map((name) => `${type}.${name}`)
            .filter((name) => !this.#scene.withheld.has(name))
        : [],
    );
  }

  /** There are vectors that are seen, but none of so many dimensions. */
  isUnfit(asked: VectorRequest): boolean {
    const isSeen = (name: string): boolean =>
      this.#scene.nodes.some(
        ({ type, fields, isHidden }) =>
          !isHidden && name.startsWith(`${type}.`) && fields[fieldOf(name)] !== undefined,
      );
    const seen = this.#fieldsOf(asked).filter(isSeen);
    return seen.length > 0 && !seen.some((name) => dimensionsOf(name) === asked.vector.length);
  }

  /** All hits in order. */
  hits(given: VectorRequest): ExpectedHit[] {
    const { query, mode, sort = 'relevance', ranking } = given;
    const hasWords = mode === 'hybrid' && query.trim() !== '';
    const texts = hasWords ? this.#inText(given, {}) : [];
    const undecayed = hasWords ? this.#inText(given, { timeDecay: null }) : [];
    const best = Math.max(0, ...undecayed.map(({ score }) => score)) || 1;
    const near = this.#near(given);
    const ids = new Set([...texts.map((hit) => this.#scene.idOf(hit)), ...near.keys()]);
    const ranks = [...near.keys()];
    const found = [...ids].map((id) => {
      const { type, timestamp } = this.#scene.nodeOf(id);
      const textRank = texts.findIndex((hit) => this.#scene.idOf(hit) === id) + 1;
      const text = texts[textRank - 1]?.score ?? 0;
      const vectorRank = ranks.indexOf(id) + 1;
      const { score: vector = 0, similarity = 0 } = near.get(id) ?? {};
      const sides = { text: text / best, textRank, vector, vectorRank };
      const score = sort === 'relevance' ? scoreOf(given, sides) : 0;
      const from = textRank === 0 ? 'vector' : vectorRank === 0 ? 'text' : 'both';
      const order = ranking === 'rrf' ? -(textRank || ALL) : text;
      return { id, type, timestamp, from, score, order, similarity };
    });
    const sign = sort === 'recent' ? -1 : 1;
    return found.toSorted((a, b) => {
      if (sort !== 'relevance') return sign * (a.timestamp - b.timestamp) || a.id - b.id;
      if (Math.abs(a.score - b.score) > 1e-12) return b.score - a.score;
      return b.order - a.order || b.similarity - a.similarity || a.id - b.id;
    });
  }

  #inText(given: VectorRequest, more: object): readonly SearchHit[] {
    const { fields } = given;
    const ofVectors = ['vector', 'mode', 'weight', 'ranking', 'similarityMin', 'fields', 'sort'];
    const rest = Object.entries(given).filter(([name]) => !ofVectors.includes(name));
    const wanted = fields === undefined ? {} : { fields: fields.filter(isText) };
    const asked = { ...Object.fromEntries(rest), ...wanted, take: ALL, ...more };
    return this.#scene.searcher.search(asked, this.#scene.visibility).hits;
  }

  /** By id, the nearest first, as old as they are. */
  #near(given: VectorRequest): Map<number, { score: number; similarity: number }> {
    const { similarityMin = 0, timeDecay: { halfLifeDays } = { halfLifeDays: Infinity } } = given;
    const passing = this.#inText(given, { query: '' }).map((hit) => this.#scene.idOf(hit));
    const near = passing.flatMap((id) => {
      const node = this.#scene.nodeOf(id);
      const similarity = this.#similarity(given, node, id);
      if (similarity === undefined || similarity < similarityMin) return [];
      const score = similarity * 2 ** (-(NOW - node.timestamp) / DAY_MS / halfLifeDays);
      return [[id, { score, similarity }] as const];
    });
    return new Map(near.toSorted(([a, m], [b, n]) => n.score - m.score || a - b));
  }

  /** The similarity of the node's most similar vector, as the index knows it. */
  #similarity(given: VectorRequest, { type, fields }: SceneNode, id: number): number | undefined {
    const all = this.#fieldsOf(given).flatMap((name) => {
      const value = fields[fieldOf(name)];
      if (!name.startsWith(`${type}.`) || !Array.isArray(value)) return [];
      if (value.length !== given.vector.length) return [];
      const wanted = {
        vectors: [{ vector: given.vector }],
        types: [type],
        fields: [fieldOf(name)],
      };
      const found = this.#scene.searcher.similarTo({ ...wanted, count: ALL }, undefined);
      const known = must(
        found.find((one) => one.id === id),
        'a node with a vector',
      ).score;
      expect(known).toBeCloseTo(cosine(value.map(Number), given.vector), 3);
      return [known];
    });
    return all.length === 0 ? undefined : Math.max(...all);
  }

  /** The counts of the facets Type, Tag, and time by month. */
  counts(expected: readonly ExpectedHit[]): unknown {
    const counted = (values: readonly string[]): object[] =>
      [...Map.groupBy(values, (value) => value)].map(([value, all]) => ({
        value,
        count: all.length,
      }));
    const byCount = (a: object, b: object): number =>
      Number(Object(b).count) - Number(Object(a).count) ||
      (Object(a).value < Object(b).value ? -1 : 1);
    const nodes = expected.map(({ id }) => this.#scene.nodeOf(id));
    const tags = nodes.flatMap(({ type, fields }) =>
      this.#scene.withheld.has(`${type}.Tag`) || fields['Tag'] === undefined
        ? []
        : [String(fields['Tag'])],
    );
    const months = nodes.map(({ timestamp: time }) => {
      const date = new Date(time);
      return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth())).toISOString();
    });
    return {
      Type: counted(nodes.map(({ type }) => type)).toSorted(byCount),
      Tag: counted(tags).toSorted(byCount),
      time: counted(months).toSorted((a, b) => (Object(a).value < Object(b).value ? -1 : 1)),
    };
  }
}

interface Sides {
  readonly text: number;
  /** From 1 on; 0 when the side has not found it. */
  readonly textRank: number;
  readonly vector: number;
  readonly vectorRank: number;
}

function scoreOf({ mode, weight = 0.5, ranking }: VectorRequest, sides: Sides): number {
  if (mode === 'vector') return sides.vector;
  if (ranking !== 'rrf') return weight * sides.text + (1 - weight) * sides.vector;
  const worth = (rank: number): number => (rank === 0 ? 0 : 1 / (60 + rank));
  return weight * worth(sides.textRank) + (1 - weight) * worth(sides.vectorRank);
}

const isText = (name: string): boolean => TEXTS.includes(name);
const fieldOf = (name: string): string => name.split('.')[1]!;
const dimensionsOf = (name: string): number => (fieldOf(name) === 'Near' ? 3 : 2);

function cosine(a: readonly number[], b: readonly number[]): number {
  const dot = (x: readonly number[], y: readonly number[]): number =>
    x.reduce((sum, one, i) => sum + one * y[i]!, 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}
