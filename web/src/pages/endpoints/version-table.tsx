import type { CodeChange } from '@trellis/contract/shapes/code-history.ts';
import { useChangePermission } from '../../app/permissions.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Time } from '../../ui/time.tsx';
import { isBuiltIn } from './endpoint-queries.ts';

interface VersionTableProps {
  readonly name: string;
  readonly current: number | undefined;
  readonly changes: readonly CodeChange[];
  /** The two that are compared. */
  readonly before: number;
  readonly after: number;
  readonly onBefore: (version: number) => void;
  readonly onAfter: (version: number) => void;
  readonly onRestore: (version: number) => void;
}

export function VersionTable(props: VersionTableProps) {
  const { name, current, changes, before, after, onBefore, onAfter, onRestore } = props;
  const permission = useChangePermission();
  const isLocked = !permission.isAllowed || isBuiltIn(name);
  return (
    <DataTable
      label={`Versions of ${name}`}
      rows={changes}
      keyOf={({ version }) => String(version)}
      columns={[
        {
          title: 'Version',
          cell: ({ version, action }) => (
            <span className="inline-flex items-center gap-2">
              {version} <Badge tone={action === 'deleted' ? 'danger' : 'neutral'}>{action}</Badge>
            </span>
          ),
        },
        {
          title: 'When',
          cell: ({ at, by }) => (
            <>
              <Time iso={at} />
              <div className="text-[13px] text-muted">
                by <bdi>{by?.name ?? 'the server or a token'}</bdi>
              </div>
            </>
          ),
        },
        choiceOf('Before', before, onBefore),
        choiceOf('After', after, onAfter),
        {
          title: 'Actions',
          isTitleHidden: true,
          cell: ({ version, action }) =>
            version !== current &&
            action !== 'deleted' && (
              <div className="text-right">
                <Button
                  size="small"
                  disabled={isLocked}
                  aria-label={`Restore version ${version}`}
                  onClick={() => onRestore(version)}
                >
                  Restore
                </Button>
              </div>
            ),
        },
      ]}
    />
  );
}

/** One of the two versions that are compared. */
function choiceOf(
  title: string,
  chosen: number,
  onChoose: (version: number) => void,
): Column<CodeChange> {
  return {
    title,
    cell: ({ version }) => (
      <input
        type="radio"
        name={title}
        aria-label={`${title}: version ${version}`}
        checked={version === chosen}
        onChange={() => onChoose(version)}
        className="size-4 accent-accent"
      />
    ),
  };
}
