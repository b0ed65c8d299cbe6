import type { Drawing } from './graph-model.ts';

/** A drawing and where its nodes are. */
export interface Picture {
  readonly drawing: Drawing;
  /** x and y of each node, in the order of `drawing.nodes`. */
  readonly positions: Float32Array<ArrayBuffer>;
}

/** A step that can be undone or done again: what it was, and the picture on its other side. */
interface Step {
  readonly label: string;
  readonly picture: Picture;
}

export interface History {
  /** The last is the first to be undone. */
  readonly done: readonly Step[];
  readonly undone: readonly Step[];
}

/** Pictures are kept whole, so their number is bounded. */
export const STEPS_MAX = 50;

export const EMPTY_HISTORY: History = { done: [], undone: [] };

/** Notes a step by what was there before it. What was undone before is gone. */
export function record(history: History, label: string, before: Picture): History {
  return { done: [...history.done, { label, picture: before }].slice(-STEPS_MAX), undone: [] };
}

interface Turn {
  readonly history: History;
  /** What is to be shown now. */
  readonly picture: Picture;
}

/** Undefined when nothing is left to undo. */
export function undo({ done, undone }: History, present: Picture): Turn | undefined {
  const step = done.at(-1);
  if (step === undefined) return undefined;
  const back = { label: step.label, picture: present };
  return { history: { done: done.slice(0, -1), undone: [...undone, back] }, picture: step.picture };
}

/** Undefined when nothing is left to do again. */
export function redo({ done, undone }: History, present: Picture): Turn | undefined {
  const step = undone.at(-1);
  if (step === undefined) return undefined;
  const forth = { label: step.label, picture: present };
  return {
    history: { done: [...done, forth], undone: undone.slice(0, -1) },
    picture: step.picture,
  };
}
