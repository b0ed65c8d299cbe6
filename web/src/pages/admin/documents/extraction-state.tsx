import type { Extraction } from '@trellis/contract/shapes/extraction.ts';
import { Badge, type BadgeTone } from '../../../ui/badge.tsx';

const TONES: Readonly<Record<Extraction['state'], BadgeTone>> = {
  running: 'info',
  completed: 'good',
  'out-of-tokens': 'warning',
  cancelled: 'neutral',
  failed: 'danger',
};

type State = Pick<Extraction, 'state' | 'failed'>;

/** A run that has ended, but not with all texts, does not look as if it had. */
export function ExtractionState({ state, failed }: State) {
  if (state === 'completed' && failed > 0) return <Badge tone="warning">partly read</Badge>;
  return <Badge tone={TONES[state]}>{state.replaceAll('-', ' ')}</Badge>;
}

/** Whether texts are left that a further try may read. */
export function isResumable({ state, failed }: State): boolean {
  return state !== 'running' && (state !== 'completed' || failed > 0);
}
