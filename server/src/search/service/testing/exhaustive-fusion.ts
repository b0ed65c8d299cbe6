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
 * Searches a scene by looking at each node. What words find alone, and what a filter lets pass, it takes from searches for words.
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
    const { query, mode, fields, similarityMin = 0, sort = 'relevance', timeDecay } = given;
    const inText = (more: object): SearchHit[] => {
      const ofVectors = ['vector', 'mode', 'weight', 'ranking', 'similarityMin', 'fields'];
      const rest = Object.entries(given).filter(([name]) => !ofVectors.includes(name));
      const wanted = fields === undefined ? {} : { fields: fields.filter(isText) };
      const asked = { ...Object.fromEntries(rest), ...wanted, take: ALL, ...more };
      return [...this.#scene.searcher.search(asked, this.#scene.visibility).hits];
    };
    const passing = inText({ query: '', sort: 'relevance' });
    const hasWords = mode === 'hybrid' && query.trim() !== '';
    const texts = hasWords ? inText({ sort: 'relevance' }) : [];
    const undecayed = hasWords ? inText({ sort: 'relevance', timeDecay: null }) : [];
    const best = Math.max(0, ...undecayed.map(({ score }) => score));
    const textRank = new Map(texts.map((hit, i) => [this.#scene.idOf(hit), i + 1]));
    const textScore = new Map(texts.map((hit) => [this.#scene.idOf(hit), hit.score]));
    const decay = (time: number): number =>
      timeDecay === undefined ? 1 : 2 ** (-(NOW - time) / DAY_MS / timeDecay.halfLifeDays);
    const near = passing
      .flatMap((hit) => {
        const id = this.#scene.idOf(hit);
        const node = this.#scene.nodeOf(id);
        const similarity = this.#similarity(given, node, id);
        if (similarity === undefined || similarity < similarityMin) return [];
        return [{ id, similarity, score: similarity * decay(node.timestamp) }];
      })
      .toSorted((a, b) => b.score - a.score || a.id - b.id);
    const found = new Set([...textRank.keys(), ...near.map(({ id }) => id)]);
    return [...found]
      .map((id) => {
        const { type, timestamp: time } = this.#scene.nodeOf(id);
        const vectorRank = near.findIndex((one) => one.id === id) + 1;
        const score = scoreOf(given, {
          text: (textScore.get(id) ?? 0) / (best || 1),
          textRank: textRank.get(id),
          vector: near[vectorRank - 1]?.score ?? 0,
          vectorRank: vectorRank || undefined,
        });
        const from = !textRank.has(id) ? 'vector' : vectorRank === 0 ? 'text' : 'both';
        const similarity = near[vectorRank - 1]?.similarity ?? 0;
        const order =
          given.ranking === 'rrf' ? -(textRank.get(id) ?? ALL) : (textScore.get(id) ?? 0);
        return {
          id,
          from,
          score: sort === 'relevance' ? score : 0,
          type,
          timestamp: time,
          order,
          similarity,
        };
      })
      .toSorted((a, b) => {
        if (sort === 'recent' && a.timestamp !== b.timestamp) return b.timestamp - a.timestamp;
        if (sort === 'oldest' && a.timestamp !== b.timestamp) return a.timestamp - b.timestamp;
        if (sort !== 'relevance') return a.id - b.id;
        const isSame = Math.abs(a.score - b.score) < 1e-12;
        if (!isSame) return b.score - a.score;
        return b.order - a.order || b.similarity - a.similarity || a.id - b.id;
      });
  }

  /** Of the most similar vector that may be compared: as the index knows it, and that is what it is. */
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
  readonly textRank: number | undefined;
  readonly vector: number;
  readonly vectorRank: number | undefined;
}

function scoreOf({ mode, weight = 0.5, ranking }: VectorRequest, sides: Sides): number {
  if (mode === 'vector') return sides.vector;
  if (ranking !== 'rrf') return weight * sides.text + (1 - weight) * sides.vector;
  const { textRank = Infinity, vectorRank = Infinity } = sides;
  return weight / (60 + textRank) + (1 - weight) / (60 + vectorRank);
}

const isText = (name: string): boolean => TEXTS.includes(name);
const fieldOf = (name: string): string => name.split('.')[1]!;
const dimensionsOf = (name: string): number => (fieldOf(name) === 'Near' ? 3 : 2);

function cosine(a: readonly number[], b: readonly number[]): number {
  const dot = (x: readonly number[], y: readonly number[]): number =>
    x.reduce((sum, one, i) => sum + one * y[i]!, 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}
