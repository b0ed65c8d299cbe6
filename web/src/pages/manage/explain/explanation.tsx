import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ArrowRight, CircleCheck, CircleMinus } from 'lucide-react';
import type { AccessExplanation } from '@trellis/contract/shapes/access.ts';
import { client } from '../../../api/client.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Card } from '../../../ui/card.tsx';
import { QueryView } from '../../../ui/query-view.tsx';

interface ExplanationProps {
  readonly nodeUid: string;
  readonly userUid: string;
}

export function Explanation({ nodeUid, userUid }: ExplanationProps) {
  const query = useQuery({
    queryKey: ['access', 'explain', nodeUid, userUid],
    queryFn: ({ signal }) => client.access.explain({ user: userUid, node: nodeUid }, { signal }),
  });
  return (
    <QueryView query={query} errorTitle="The access could not be explained">
      {(explanation) => (
        <Card title="Answer">
          <Verdict {...explanation} />
          <ul aria-label="Reasons" className="mt-4 flex flex-col gap-3">
            {explanation.reasons.map((reason) => (
              <ReasonRow
                key={`${reason.kind} ${reason.message}`}
                reason={reason}
                explanation={explanation}
              />
            ))}
          </ul>
          <WithheldFields {...explanation} />
          <section aria-label="Writing" className="mt-5">
            <p className="flex flex-wrap items-center gap-2 text-base">
              <Badge tone={explanation.mayWrite ? 'good' : 'neutral'}>
                {explanation.mayWrite ? 'May write it' : 'May not write it'}
              </Badge>
            </p>
            <ul aria-label="Reasons about writing" className="mt-3 flex flex-col gap-3">
              {explanation.writeReasons.map((reason) => (
                <ReasonRow
                  key={`${reason.kind} ${reason.message}`}
                  reason={reason}
                  explanation={explanation}
                />
              ))}
            </ul>
          </section>
        </Card>
      )}
    </QueryView>
  );
}

function Verdict({ user, node, visible }: AccessExplanation) {
  return (
    <p className="flex flex-wrap items-center gap-2 text-base">
      <Badge tone={visible ? 'good' : 'danger'}>{visible ? 'Visible' : 'Not visible'}</Badge>
      <span className="min-w-0 break-words">
        <bdi className="font-medium">{user.name}</bdi> {visible ? 'sees the' : 'does not see the'}{' '}
        {node.type}{' '}
        <Link
          to="/node/$uid"
          params={{ uid: node.uid }}
          className="font-medium text-accent underline"
        >
          <bdi>{node.name}</bdi>
        </Link>
        .
      </span>
    </p>
  );
}

interface ReasonRowProps {
  readonly reason: AccessExplanation['reasons' | 'writeReasons'][number];
  readonly explanation: AccessExplanation;
}

function ReasonRow({ reason, explanation: { user, node } }: ReasonRowProps) {
  const { grants, message, path } = reason;
  const Icon = grants ? CircleCheck : CircleMinus;
  return (
    <li className="flex gap-2">
      <Icon
        className={`mt-0.5 size-4 shrink-0 ${grants ? 'text-accent' : 'text-danger'}`}
        role="img"
        aria-label={grants ? 'Allows it' : 'Prevents it'}
      />
      <div className="min-w-0">
        <p className="break-words">
          <bdi>{message}</bdi>
        </p>
        {path !== undefined && (
          <ol aria-label="The way" className="mt-1 flex flex-wrap items-center gap-1 text-muted">
            {[user, ...path, node].map(({ uid, name }, step) => (
              <li key={uid} className="flex items-center gap-1">
                {step > 0 && <ArrowRight className="size-3.5 shrink-0" aria-hidden />}
                <bdi>{name}</bdi>
              </li>
            ))}
          </ol>
        )}
      </div>
    </li>
  );
}

function WithheldFields({ user, withheldFields }: AccessExplanation) {
  if (withheldFields.length === 0) return null;
  return (
    <div className="mt-4 border-t pt-3">
      <p>
        Fields that <bdi>{user.name}</bdi> does not read:
      </p>
      <p className="mt-1 flex flex-wrap gap-1">
        {withheldFields.map((field) => (
          <Badge key={field} tone="warning">
            {field}
          </Badge>
        ))}
      </p>
    </div>
  );
}
