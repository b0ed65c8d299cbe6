import { must } from '../../server/src/base/assert.ts';

/** One fault, or the end of one. */
export interface FaultStep {
  readonly name: string;
  /** How often it is chosen among those that are possible. */
  readonly weight: number;
  isPossible(): boolean;
  run(): Promise<unknown>;
}

export function step(
  name: string,
  weight: number,
  isPossible: () => boolean,
  run: () => Promise<unknown>,
): FaultStep {
  return { name, weight, isPossible, run };
}

/** `random` answers numbers in [0, 1). */
export function chooseStep(steps: readonly FaultStep[], random: () => number): FaultStep {
  const possible = steps.filter((candidate) => candidate.isPossible());
  let at = random() * possible.reduce((sum, { weight }) => sum + weight, 0);
  const chosen = possible.find(({ weight }) => (at -= weight) < 0);
  return must(chosen ?? possible.at(-1), 'a step that is possible');
}
