import { TOOLS_EMBEDDED_MAX } from '#base/assistant-limits.ts';
import { Problem } from '#base/problem.ts';
import type { TextVectors } from '#search/embeddings/embed-texts.ts';
import type { ChoosableTool, ToolCloseness } from './tool-choice.ts';

export interface ToolVectorsParts {
  /** Undefined where there is no provider of embeddings. */
  readonly model: () => string | undefined;
  readonly vectors: TextVectors;
}

const AT_A_TIME = 8;

/** How close tools are to a question by meaning. */
export class ToolVectors {
  readonly #parts: ToolVectorsParts;

  constructor(parts: ToolVectorsParts) {
    this.#parts = parts;
  }

  /**
   * Knows nothing where no provider embeds the question. Vectors of descriptions are kept by
   * `TextVectors`. Rejects with the reason of the signal alone.
   */
  async closeness(
    tools: readonly ChoosableTool[],
    question: string,
    signal: AbortSignal,
  ): Promise<ToolCloseness> {
    const model = this.#parts.model();
    if (model === undefined || question.trim() === '') return () => undefined;
    const asked = await this.#vector(question, model, signal);
    if (asked === undefined) return () => undefined;
    const some = tools.slice(0, TOOLS_EMBEDDED_MAX);
    const vectors: (Float32Array | undefined)[] = [];
    // A few at a time: queries of users wait at the same provider.
    for (let at = 0; at < some.length; at += AT_A_TIME) {
      const few = some.slice(at, at + AT_A_TIME);
      vectors.push(
        ...(await Promise.all(few.map((tool) => this.#vector(textOf(tool), model, signal)))),
      );
    }
    const byTool = new Map(some.map((tool, at) => [tool, vectors[at]]));
    return (tool) => {
      const vector = byTool.get(tool);
      return vector === undefined ? undefined : cosine(asked, vector);
    };
  }

  async #vector(
    text: string,
    model: string,
    signal: AbortSignal,
  ): Promise<Float32Array | undefined> {
    try {
      return await this.#parts.vectors.of(text, model, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof Problem) return undefined;
      throw error;
    }
  }
}

function textOf({ name, description }: ChoosableTool): string {
  return description === '' ? name : description;
}

/** Of vectors of length 1; 0 for opposite ones. */
function cosine(a: Float32Array, b: Float32Array): number {
  if (a.length !== b.length) return 0;
  return Math.max(
    0,
    a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0),
  );
}
