import type { GoldenRun } from '@trellis/contract/shapes/golden-answers.ts';
import { Badge, type BadgeTone } from '../../../ui/badge.tsx';

const STATES: Readonly<Record<GoldenRun['state'], readonly [tone: BadgeTone, text: string]>> = {
  running: ['info', 'Runs'],
  completed: ['good', 'Completed'],
  'out-of-tokens': ['warning', 'Out of tokens'],
  cancelled: ['neutral', 'Cancelled'],
  failed: ['danger', 'Failed'],
  interrupted: ['warning', 'Interrupted'],
};

export function RunState({ state }: Pick<GoldenRun, 'state'>) {
  const [tone, text] = STATES[state];
  return <Badge tone={tone}>{text}</Badge>;
}
