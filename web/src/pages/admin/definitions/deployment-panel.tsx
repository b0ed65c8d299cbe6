import { useQuery } from '@tanstack/react-query';
import type { DeploymentDetails } from '@trellis/contract/shapes/deployment.ts';
import { useState } from 'react';
import { client } from '../../../api/client.ts';
import { useChangePermission } from '../../../app/permissions.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { SidePanel } from '../../../ui/dialog.tsx';
import { ErrorPanel } from '../../../ui/error-panel.tsx';
import { FieldList } from '../../../ui/field-list.tsx';
import { formatDateTime } from '../../../ui/format.ts';
import { Notice } from '../../../ui/notice.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { Time } from '../../../ui/time.tsx';
import { DefinitionsReport } from './definitions-report.tsx';
import { CAUSES, changesText, countsText, doerOf } from './deployment-words.ts';
import { DraftsField } from './drafts-field.tsx';
import { useImportSteps } from './use-import-steps.ts';

interface DeploymentPanelProps {
  readonly id: string;
  readonly onClose: () => void;
}

/** One deployment: what it changed, and the way back to it. */
export function DeploymentPanel({ id, onClose }: DeploymentPanelProps) {
  const deployment = useQuery({
    queryKey: ['deployment', id],
    queryFn: ({ signal }) => client.deployments.get(id, { signal }),
  });
  return (
    <SidePanel isOpen onClose={onClose} title="Deployment">
      <QueryView query={deployment} errorTitle="The deployment could not be read">
        {(details) => (
          <div className="flex flex-col gap-4">
            <Facts details={details} />
            <Changes details={details} />
            <RollBack details={details} />
          </div>
        )}
      </QueryView>
    </SidePanel>
  );
}

function Facts({ details }: { readonly details: DeploymentDetails }) {
  const { id, at, cause, mirror, of } = details;
  return (
    <FieldList
      items={[
        { name: 'When', value: <Time iso={at} isExact /> },
        {
          name: 'Cause',
          value: <Badge tone={CAUSES[cause].tone}>{CAUSES[cause].word}</Badge>,
        },
        { name: 'By', value: doerOf(details) },
        { name: 'Changes', value: changesText(details) },
        { name: 'Deleted the rest', value: mirror ? 'Yes' : 'No' },
        ...(of === null ? [] : [{ name: 'Went back to', value: of }]),
        { name: 'Id', value: <code className="font-mono text-[13px] break-all">{id}</code> },
      ]}
    />
  );
}

const WORDS = {
  created: 'New',
  changed: 'Changed',
  deleted: 'Deleted',
  unchanged: 'Unchanged',
  failed: 'Failed',
} as const;

function Changes({ details: { changes } }: { readonly details: DeploymentDetails }) {
  if (changes.length === 0) return null;
  return (
    <div>
      <h3 className="mb-1 text-[13px] font-medium">What it changed</h3>
      <ul aria-label="What it changed" className="flex flex-col gap-1 text-[13px]">
        {changes.map(({ kind, name, action }) => (
          <li key={`${kind} ${name} ${action}`} className="wrap-anywhere">
            {WORDS[action]}: {kind.replaceAll('-', ' ')}{' '}
            {kind !== name && <span className="font-mono">{name}</span>}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** A look at what would change comes first; then a question with the counts. */
function RollBack({ details: { id, at } }: { readonly details: DeploymentDetails }) {
  const permission = useChangePermission();
  const [drafts, setDrafts] = useState(false);
  const [isAsking, setIsAsking] = useState(false);
  const { preview, apply, reset } = useImportSteps(
    (wanted: { readonly drafts: boolean }, { dryRun = false }) =>
      client.deployments.rollBack(id, { ...wanted, dryRun }),
  );
  const isDisabled = !permission.isAllowed || preview.isPending || apply.isPending;
  return (
    <section aria-label="Go back" className="flex flex-col gap-4 border-t pt-4">
      <p>
        Makes schema, settings and code what they were then, as a new deployment. Types and fields
        of the schema stay, and so does all data.
      </p>
      <DraftsField
        isOn={drafts}
        isDisabled={isDisabled}
        onChange={(isOn) => {
          setDrafts(isOn);
          reset();
        }}
      />
      {permission.reason !== undefined && <Notice tone="info">{permission.reason}</Notice>}
      <div className="flex justify-end">
        <Button
          disabled={isDisabled}
          isBusy={preview.isPending}
          onClick={() => {
            apply.reset();
            preview.mutate({ drafts });
          }}
        >
          Show what going back would change
        </Button>
      </div>
      {preview.isError && <ErrorPanel title="It could not be checked" error={preview.error} />}
      {preview.isSuccess && apply.isIdle && (
        <DefinitionsReport
          title="What going back would change"
          result={preview.data}
          action="Go back"
          onApply={() => setIsAsking(true)}
        />
      )}
      {apply.isError && <ErrorPanel title="The rollback was refused" error={apply.error} />}
      {(apply.isPending || apply.isSuccess) && (
        <DefinitionsReport
          title="What is done"
          what="rollback"
          log={apply.log}
          result={apply.data}
        />
      )}
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        title={`Go back to ${formatDateTime(at)}?`}
        action="Go back"
        onConfirm={() => {
          setIsAsking(false);
          apply.mutate({ drafts });
        }}
      >
        {preview.isSuccess && `${countsText(preview.data.totals)}, as one commit.`} What there is
        now is kept as a deployment, too.
      </ConfirmDialog>
    </section>
  );
}
