import type { ManyNodesChange, ManyNodesOutcome } from '@trellis/contract/shapes/node-write.ts';
import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { client } from '../../api/client.ts';
import { describeError } from '../../ui/error-text.ts';
import { formatCount } from '../../ui/format.ts';
import { toastDone } from '../../ui/toast.ts';
import { useChangedNodes } from './use-saved-record.ts';

/** As many nodes as the server changes in one commit: between two one may stop. */
export const NODES_AT_ONCE = 1_000;

type Change = ManyNodesChange['change'];

/** What came of a change of many nodes. */
export interface BulkOutcome {
  readonly done: number;
  readonly refused: ManyNodesOutcome['outcomes'];
  /** How many were not tried, and why. */
  readonly left: number;
  readonly reason?: string | undefined;
}

/**
 * Changes all of the nodes, group by group. What was not changed stays selected, and the outcome
 * says why.
 */
export function useBulkChange(
  uids: readonly string[],
  onSelected: (uids: readonly string[]) => void,
) {
  const onChanged = useChangedNodes();
  const isStopped = useRef(false);
  const [tried, setTried] = useState(0);
  const [outcome, setOutcome] = useState<BulkOutcome>();
  const change = useMutation({
    mutationFn: async (wanted: Change) => {
      isStopped.current = false;
      setTried(0);
      setOutcome(undefined);
      const outcomes: ManyNodesOutcome['outcomes'][number][] = [];
      let reason: string | undefined;
      for (let at = 0; at < uids.length && reason === undefined; at += NODES_AT_ONCE) {
        const group = uids.slice(at, at + NODES_AT_ONCE);
        try {
          const answer = await client.nodes.changeMany({ uids: group, change: wanted });
          outcomes.push(...answer.outcomes);
          setTried(outcomes.length);
        } catch (error) {
          if (at === 0) throw error;
          reason = describeError(error).message;
        }
        if (isStopped.current && outcomes.length < uids.length) reason ??= 'You stopped it.';
      }
      return { outcomes, reason };
    },
    onSuccess: async ({ outcomes, reason }) => {
      const refused = outcomes.filter((one) => !one.done);
      const done = outcomes.length - refused.length;
      const left = uids.length - outcomes.length;
      toastDone(done === 1 ? 'One node is changed' : `${formatCount(done)} nodes are changed`);
      setOutcome(refused.length + left > 0 ? { done, refused, left, reason } : undefined);
      onSelected([...refused.map(({ uid }) => uid), ...uids.slice(outcomes.length)]);
      await onChanged();
    },
  });
  const stop = () => {
    isStopped.current = true;
  };
  return { change, outcome, tried, stop };
}
