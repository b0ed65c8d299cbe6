import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { AuditRecord } from '@trellis/contract/shapes/audit.ts';
import { ScrollText } from 'lucide-react';
import { client } from '../../api/client.ts';
import { atSkip } from '../../app/search-params.ts';
import { Badge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Pager } from '../../ui/pager.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Time } from '../../ui/time.tsx';

const route = getRouteApi('/workspace/admin/logs');
const TAKE = 50;

/** Who did what to whom, and from where. */
export function AuditTrail() {
  const { action, user, outcome, skip = 0 } = route.useSearch();
  const navigate = route.useNavigate();
  const known = outcome === 'success' || outcome === 'failure' ? outcome : undefined;
  const audit = useQuery({
    queryKey: ['audit', action, user, known, skip],
    queryFn: ({ signal }) =>
      client.audit.list({ action, user, outcome: known, skip, take: TAKE }, { signal }),
    placeholderData: (last) => last,
  });
  return (
    <>
      <AuditFilters />
      <Card isFlush>
        <QueryView query={audit} errorTitle="The audit trail could not be read">
          {({ items, total }) => (
            <>
              {items.length === 0 ? (
                <EmptyState icon={ScrollText} title="Nothing matches" />
              ) : (
                <AuditTable records={items} />
              )}
              <Pager
                {...{ skip, total }}
                take={TAKE}
                shown={items.length}
                onSkip={(next) => void navigate({ search: atSkip(next) })}
              />
            </>
          )}
        </QueryView>
      </Card>
    </>
  );
}

function AuditFilters() {
  const { action, user, outcome } = route.useSearch();
  const navigate = route.useNavigate();
  const choose = (change: { action?: string; user?: string; outcome?: string }) =>
    void navigate({
      search: (last) => ({ ...last, ...change, skip: undefined }),
      replace: true,
    });
  return (
    <div className="mb-4 flex flex-wrap items-end gap-3">
      <TextField
        label="Action"
        hint="An action, or an area such as “token”"
        value={action ?? ''}
        onChange={(event) => choose({ action: event.target.value })}
      />
      <TextField
        label="User"
        hint="Name or UID of who did it"
        value={user ?? ''}
        onChange={(event) => choose({ user: event.target.value })}
      />
      <SelectField
        label="Outcome"
        value={outcome ?? ''}
        options={[
          { value: '', label: 'Any' },
          { value: 'success', label: 'Success' },
          { value: 'failure', label: 'Failure' },
        ]}
        onChange={(event) => choose({ outcome: event.target.value })}
      />
    </div>
  );
}

function AuditTable({ records }: { readonly records: readonly AuditRecord[] }) {
  return (
    <DataTable
      label="Audit trail"
      rows={records}
      keyOf={({ uid }) => uid}
      columns={[
        { title: 'When', cell: ({ at }) => <Time iso={at} isExact /> },
        { title: 'Action', cell: ({ action }) => <code className="font-mono">{action}</code> },
        { title: 'Who', cell: whoOf },
        {
          title: 'To what',
          isMinor: true,
          cell: ({ target }) =>
            target === null ? '' : `${target.kind} ${target.name ?? target.id}`,
        },
        {
          title: 'Outcome',
          cell: ({ outcome }) => (
            <Badge tone={outcome === 'success' ? 'good' : 'danger'}>{outcome}</Badge>
          ),
        },
        { title: 'From', isMinor: true, cell: ({ address }) => address ?? '' },
      ]}
    />
  );
}

/** The user, or the token that acts as none; guesses at passwords have neither. */
function whoOf({ actor, details }: AuditRecord): string {
  if (actor !== null) return actor.name;
  const token: unknown = Object(Object(details).token).name;
  return typeof token === 'string' ? `token ${token}` : 'Nobody signed in';
}
