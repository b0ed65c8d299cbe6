import type { EndpointDefinition } from '@trellis/contract/shapes/endpoint.ts';
import { Link } from '@tanstack/react-router';
import { KeyRound, Save, Trash2 } from 'lucide-react';
import { Suspense, useState } from 'react';
import { useChangePermission } from '../../app/permissions.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { lazyPart } from '../../ui/lazy-part.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { Switch } from '../../ui/switch.tsx';
import { EndpointBadges } from './endpoint-badges.tsx';
import { isBuiltIn } from './endpoint-queries.ts';
import type { EndpointDraft } from './use-endpoint-draft.ts';
import type { EndpointSaving } from './use-endpoint-saving.ts';

// What few open comes when they do.
const EndpointTokensDialog = lazyPart(
  async () => (await import('./endpoint-tokens-dialog.tsx')).EndpointTokensDialog,
);

const DeleteDialog = lazyPart(async () => (await import('./delete-dialog.tsx')).DeleteDialog);

interface EndpointHeaderProps {
  readonly definition: EndpointDefinition;
  readonly draft: EndpointDraft;
  readonly saving: EndpointSaving;
}

export function EndpointHeader({ definition, draft, saving }: EndpointHeaderProps) {
  const { name, version, compiles } = definition;
  const [open, setOpen] = useState<'tokens' | 'delete'>();
  const permission = useChangePermission();
  const isLocked = !permission.isAllowed || isBuiltIn(name);
  return (
    <>
      <PageHeader
        title={name}
        description={
          <span className="flex flex-wrap items-center gap-2">
            <Link to="/endpoints" className="underline">
              All endpoints
            </Link>
            <span>Version {version}</span>
            <EndpointBadges endpoint={definition} isFailing={!compiles} />
          </span>
        }
        actions={<HeaderActions {...{ definition, draft, saving, isLocked }} onOpen={setOpen} />}
      />
      {open === 'tokens' && (
        <Suspense>
          <EndpointTokensDialog name={name} onClose={() => setOpen(undefined)} />
        </Suspense>
      )}
      {open === 'delete' && (
        <Suspense>
          <DeleteDialog name={name} onClose={() => setOpen(undefined)} />
        </Suspense>
      )}
    </>
  );
}

interface HeaderActionsProps extends EndpointHeaderProps {
  readonly isLocked: boolean;
  readonly onOpen: (dialog: 'tokens' | 'delete') => void;
}

function HeaderActions({ definition, draft, saving, isLocked, onOpen }: HeaderActionsProps) {
  const permission = useChangePermission();
  return (
    <>
      <Switch
        label="Read-only"
        isOn={definition.isReadOnly}
        isDisabled={isLocked || saving.isBusy}
        onChange={(isOn) => void saving.setReadOnly(isOn)}
      />
      <Button icon={KeyRound} onClick={() => onOpen('tokens')}>
        Tokens
      </Button>
      <IconButton
        icon={Trash2}
        label="Delete this endpoint"
        disabled={isLocked}
        onClick={() => onOpen('delete')}
      />
      <Button
        kind="primary"
        icon={Save}
        disabled={isLocked || !draft.isDirty}
        isBusy={saving.isBusy}
        title={permission.reason ?? 'Ctrl+S'}
        onClick={() => void saving.save()}
      >
        Save
      </Button>
    </>
  );
}
