import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { AdminAgentProposal } from '@trellis/contract/shapes/admin-agent.ts';
import { Check, X } from 'lucide-react';
import { useState } from 'react';
import { client } from '../../../api/client.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { ErrorPanel } from '../../../ui/error-panel.tsx';
import { CheckboxField } from '../../../ui/field.tsx';
import { toastDone, toastError } from '../../../ui/toast.ts';
import { sessionQuery, SESSIONS_KEY } from './admin-agent-queries.ts';
import { CommitCard } from './commit-card.tsx';
import { ProposalItems } from './proposal-items.tsx';

interface ProposalCardProps {
  readonly sessionId: string;
  readonly proposal: AdminAgentProposal | null;
  /** Nothing can be approved now. */
  readonly isLocked: boolean;
}

/**
 * What the agent wants to change, until it is approved or rejected; and what became of the last.
 */
export function ProposalCard({ sessionId, proposal, isLocked }: ProposalCardProps) {
  const queries = useQueryClient();
  const [log, setLog] = useState<readonly string[]>([]);
  const approve = useMutation({
    mutationFn: (approved: { readonly id: string; readonly acceptsWidened: boolean }) => {
      setLog([]);
      const approval = {
        proposal: approved.id,
        ...(approved.acceptsWidened && { acceptWidenedAccess: true }),
      };
      const onLog = (text: string) => setLog((lines) => [...lines, text]);
      return client.adminAgent.approveCommit(sessionId, approval, { onLog });
    },
    // Whatever was changed may be shown elsewhere.
    onSettled: () => queries.invalidateQueries(),
  });
  return (
    <>
      {proposal !== null && (
        <Proposal
          key={proposal.id}
          {...{ sessionId, proposal, isLocked }}
          isApproving={approve.isPending}
          onApprove={(acceptsWidened) => approve.mutate({ id: proposal.id, acceptsWidened })}
        />
      )}
      {approve.isError && (
        <ErrorPanel title="The proposal was not carried out" error={approve.error} />
      )}
      {(approve.isPending || approve.isSuccess) && <CommitCard log={log} commit={approve.data} />}
    </>
  );
}

interface ProposalProps {
  readonly sessionId: string;
  readonly proposal: AdminAgentProposal;
  readonly isLocked: boolean;
  readonly isApproving: boolean;
  readonly onApprove: (acceptsWidened: boolean) => void;
}

function Proposal({ sessionId, proposal, isLocked, isApproving, onApprove }: ProposalProps) {
  const [acceptsWidened, setAcceptsWidened] = useState(false);
  const reject = useReject(sessionId);
  const { items, summary, isValid } = proposal;
  const isWidened = items.some(({ widensAccess }) => widensAccess.length > 0);
  const isBusy = isLocked || isApproving || reject.isPending;
  return (
    <Card title="Proposal" description={summary}>
      <div className="flex flex-col gap-4">
        <ProposalItems items={items} />
        {!isValid && (
          <p className="text-danger">
            It cannot be approved like this: tell the agent what is wrong, or let it try again.
          </p>
        )}
        {isWidened && isValid && (
          <CheckboxField
            label="More people may read or do more than before, and I want that"
            checked={acceptsWidened}
            onChange={({ target }) => setAcceptsWidened(target.checked)}
          />
        )}
        <div className="flex flex-wrap justify-end gap-2">
          <Button icon={X} disabled={isBusy} onClick={() => reject.mutate()}>
            Reject
          </Button>
          <Button
            kind="primary"
            icon={Check}
            isBusy={isApproving}
            disabled={isBusy || !isValid || (isWidened && !acceptsWidened)}
            onClick={() => onApprove(acceptsWidened)}
          >
            Approve
          </Button>
        </div>
      </div>
    </Card>
  );
}

function useReject(sessionId: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => client.adminAgent.rejectCommit(sessionId),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: sessionQuery(sessionId).queryKey });
      toastDone('The proposal is rejected');
      await queries.invalidateQueries({ queryKey: [...SESSIONS_KEY, 'list'] });
    },
    onError: (error) => toastError('The proposal was not rejected', error),
  });
}
