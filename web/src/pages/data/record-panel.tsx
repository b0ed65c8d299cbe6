import { TrellisError } from '@trellis/client/trellis-error.ts';
import type { NodeRecordDocument } from '@trellis/contract/shapes/node-write.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ExternalLink, Trash2, Users } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { labelOf } from '../../api/node-label.ts';
import { Button, buttonClasses } from '../../ui/button.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { AskLink } from '../explore/node/ask-link.tsx';
import { NodeFiles } from '../explore/node/node-files.tsx';
import { NodeFields } from '../explore/node/node-fields.tsx';
import { type DataEdge, type DataType, nodeAccessQuery, recordQuery } from './data-queries.ts';
import { DeleteRecord } from './delete-record.tsx';
import { PanelFrame } from './panel-frame.tsx';
import { editedTypes, NO_DRAFT, type RecordDraft, stateOf } from './record-draft.ts';
import { RecordHistory } from './record-history.tsx';
import { RecordLinks } from './record-links.tsx';
import { SeenBy } from './seen-by.tsx';
import { ShareDialog } from './share-dialog.tsx';
import { RecordForm } from './record-form.tsx';

interface RecordPanelProps {
  readonly uid: string;
  readonly types: readonly DataType[];
  readonly edges: readonly DataEdge[];
  readonly draft: RecordDraft;
  readonly onDraft: (draft: RecordDraft) => void;
  readonly onClose: () => void;
  /** Why it is open, above its fields. */
  readonly lead?: ReactNode;
}

/** One node beside another page: its fields to edit, and what hangs on it. */
export function RecordPanel(props: RecordPanelProps) {
  const { uid, onClose } = props;
  const record = useQuery(recordQuery(uid));
  if (record.error instanceof TrellisError && record.error.status === 404) {
    return (
      <PanelFrame title="No such node" subtitle={uid} onClose={onClose}>
        <p className="text-muted">It has been deleted, or you may not see it.</p>
      </PanelFrame>
    );
  }
  if (record.data === undefined) {
    return (
      <PanelFrame title="Node" subtitle={uid} onClose={onClose}>
        <QueryView query={record} errorTitle="The node could not be read">
          {() => null}
        </QueryView>
      </PanelFrame>
    );
  }
  return <Record {...props} record={record.data} />;
}

function Record(props: RecordPanelProps & { readonly record: NodeRecordDocument }) {
  const { uid, types, edges, draft, onDraft, onClose, lead, record } = props;
  const { node, version, mayWrite } = record;
  const [asked, setAsked] = useState<'delete' | 'share'>();
  // Refused to those who neither own it nor administrate: they are offered no sharing.
  const access = useQuery({ ...nodeAccessQuery(uid), enabled: mayWrite });
  const type = types.find((one) => one.type === node.Type);
  const state = stateOf(record);
  return (
    <PanelFrame
      title={labelOf(node)}
      subtitle={[node.Type, node.Id].filter(Boolean).join(' · ')}
      onClose={onClose}
      actions={
        <>
          {access.data !== undefined && (
            <Button size="small" icon={Users} onClick={() => setAsked('share')}>
              Share
            </Button>
          )}
          {mayWrite && (
            <Button size="small" icon={Trash2} onClick={() => setAsked('delete')}>
              Delete
            </Button>
          )}
          <Link to="/node/$uid" params={{ uid }} className={buttonClasses('plain', 'small')}>
            <ExternalLink className="size-4" aria-hidden />
            Open page
          </Link>
          <AskLink uid={uid} size="small" />
        </>
      }
    >
      {lead}
      {access.data !== undefined && <SeenBy type={node.Type} access={access.data} />}
      {state !== undefined && type !== undefined ? (
        <RecordForm {...{ uid, draft, onDraft, state }} types={editedTypes(type)} />
      ) : (
        <NodeFields node={node} />
      )}
      <RecordLinks {...{ record, types, edges }} />
      <NodeFiles uid={uid} />
      <RecordHistory
        uid={uid}
        type={node.Type}
        version={mayWrite && version !== null ? version : undefined}
      />
      <DeleteRecord
        record={record}
        isOpen={asked === 'delete'}
        onClose={() => setAsked(undefined)}
        onDeleted={() => {
          onDraft(NO_DRAFT);
          onClose();
        }}
      />
      {access.data !== undefined && (
        <ShareDialog
          isOpen={asked === 'share'}
          onClose={() => setAsked(undefined)}
          uid={uid}
          label={labelOf(node)}
          access={access.data}
        />
      )}
    </PanelFrame>
  );
}
