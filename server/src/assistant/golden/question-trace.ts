import type { Snippet } from '../citations/snippets.ts';

/** What happened between a question and its answer. */
export interface QuestionTrace {
  readonly question: string;
  readonly answer: string;
  /** The texts that tools gave the model, as it read them. */
  readonly read: readonly string[];
  /** What the model gave tools, as JSON. */
  readonly inputs: readonly string[];
  /** All nodes that tools found; a model may not have read those at the end of a long text. */
  readonly found: readonly Snippet[];
  readonly cited: readonly Snippet[];
}

/** What the user who asks may see, at one moment. */
export interface Sight {
  /** Whether there is such a node, and the user may see it. */
  canSee(uid: string): boolean;
  /**
   * The values of a node as text, by field, each with whether the user may read it; empty when
   * there is no such node.
   */
  values(uid: string): readonly FieldText[];
}

export interface FieldText {
  readonly field: string;
  readonly text: string;
  readonly isReadable: boolean;
}
