import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Connector, ConnectorAccess } from '@trellis/contract/shapes/connector.ts';
import { Badge, type BadgeTone } from '../../../ui/badge.tsx';
import { SidePanel } from '../../../ui/dialog.tsx';
import { Pager } from '../../../ui/pager.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { ACCESS_TAKE, connectorAccessQuery } from './connector-queries.ts';

interface ConnectorAccessPanelProps {
  readonly connector: Connector;
  readonly onClose: () => void;
}

type Sees = ConnectorAccess['principals'][number]['sees'];

const SEES: Readonly<Record<Sees, { readonly text: string; readonly tone: BadgeTone }>> = {
  source: { text: 'at the source only', tone: 'info' },
  here: { text: 'here only', tone: 'warning' },
  both: { text: 'both', tone: 'good' },
};

/** Who may see what a connector brought, at the source and here. */
export function ConnectorAccessPanel({ connector, onClose }: ConnectorAccessPanelProps) {
  const [skip, setSkip] = useState(0);
  const query = useQuery(connectorAccessQuery(connector.id, skip));
  return (
    <SidePanel isOpen onClose={onClose} title={`Access to “${connector.name}”`}>
      <p className="mb-3 text-[13px] text-muted">
        Who may see what it brought, at the source as its last run was told, and here now.
        Administrators see everything here.
      </p>
      <QueryView query={query} errorTitle="The access could not be compared">
        {({ items, total }) =>
          total === 0 ? (
            <p className="text-muted">It has brought nothing yet.</p>
          ) : (
            <>
              <ol className="flex flex-col gap-4">
                {items.map((item) => (
                  <Compared key={item.row} item={item} />
                ))}
              </ol>
              <Pager
                skip={skip}
                take={ACCESS_TAKE}
                shown={items.length}
                total={total}
                onSkip={setSkip}
              />
            </>
          )
        }
      </QueryView>
    </SidePanel>
  );
}

function Compared({ item }: { readonly item: ConnectorAccess }) {
  const { row, node, isTold, narrowedBy, principals, principalsTotal } = item;
  const more = principalsTotal - principals.length;
  return (
    <li>
      <p className="wrap-anywhere">
        <bdi className="font-medium">{row}</bdi>{' '}
        <span className="text-[13px] text-muted">{node.type}</span>
      </p>
      {node.uid === null && <p className="text-[13px] text-muted">It is not here any more.</p>}
      {!isTold && (
        <p className="text-[13px] text-muted">The source does not tell who may see it.</p>
      )}
      {narrowedBy !== null && (
        <p className="text-[13px] text-muted">Fewer see it here: {narrowedBy}.</p>
      )}
      <ul className="mt-1 flex flex-col gap-1 text-[13px]">
        {principals.map(({ kind, name, sees }) => (
          <li key={`${kind} ${name} ${sees}`} className="flex flex-wrap gap-2">
            <Badge tone={SEES[sees].tone}>{SEES[sees].text}</Badge>{' '}
            <span className="wrap-anywhere">
              {kind === 'everybody' ? '' : `${kind} `}
              <bdi>{name}</bdi>
            </span>
          </li>
        ))}
      </ul>
      {more > 0 && <p className="text-[13px] text-muted">and {more} more</p>}
    </li>
  );
}
