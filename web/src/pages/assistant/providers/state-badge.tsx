import type { LlmState } from '@trellis/contract/shapes/llm.ts';
import { Badge, type BadgeTone } from '../../../ui/badge.tsx';

const STATES: Readonly<Record<LlmState['status'], readonly [BadgeTone, string]>> = {
  off: ['neutral', 'No provider'],
  idle: ['info', 'Not asked yet'],
  ok: ['good', 'Answers'],
  failing: ['danger', 'Fails'],
};

export function StateBadge({ status }: Pick<LlmState, 'status'>) {
  const [tone, words] = STATES[status];
  return <Badge tone={tone}>{words}</Badge>;
}
