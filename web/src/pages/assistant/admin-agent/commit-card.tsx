import type { AdminAgentCommit } from '@trellis/contract/shapes/admin-agent.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Card } from '../../../ui/card.tsx';
import { KIND_WORDS } from './proposal-items.tsx';

interface CommitCardProps {
  /** What it said so far, as it goes on. */
  readonly log: readonly string[];
  /** Undefined until it has ended. */
  readonly commit: AdminAgentCommit | undefined;
}

type Change = AdminAgentCommit['notCommitted'][number];

/** An approval as it is carried out, and what came of it. */
export function CommitCard({ log, commit }: CommitCardProps) {
  return (
    <Card
      title="Approved"
      actions={<CommitState commit={commit} />}
      description="It continues when you leave the page."
    >
      <div
        role="log"
        aria-label="Log of the approval"
        tabIndex={0}
        className="max-h-60 overflow-y-auto rounded-control border bg-sunken p-2 font-mono text-xs"
      >
        <ol>
          {log.map((line, at) => (
            // A line has no identity but its place.
            // oxlint-disable-next-line react/no-array-index-key
            <li key={at} className="wrap-anywhere">
              {line}
            </li>
          ))}
        </ol>
      </div>
      {commit !== undefined && (
        <div className="mt-3 flex flex-col gap-2">
          <Changes title="Done" changes={commit.committed} />
          {commit.failed !== null && (
            <p role="alert" className="rounded-control bg-danger-soft px-3 py-2 text-danger">
              {nameOf(commit.failed)}: {commit.failed.error.message}{' '}
              <code className="font-mono">({commit.failed.error.code})</code>
            </p>
          )}
          <Changes title="Not begun" changes={commit.notCommitted} />
        </div>
      )}
    </Card>
  );
}

function CommitState({ commit }: Pick<CommitCardProps, 'commit'>) {
  if (commit === undefined) return <Badge tone="info">Under way</Badge>;
  return commit.failed === null ? (
    <Badge tone="good">Done</Badge>
  ) : (
    <Badge tone="danger">Stopped</Badge>
  );
}

function Changes({
  title,
  changes,
}: {
  readonly title: string;
  readonly changes: readonly Change[];
}) {
  if (changes.length === 0) return null;
  return (
    <p>
      <span className="text-muted">{title}:</span> {changes.map(nameOf).join(', ')}
    </p>
  );
}

function nameOf({ kind, name }: Change): string {
  return `${KIND_WORDS[kind]} ${name}`;
}
