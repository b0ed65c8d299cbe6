import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { AdminAgentSessionListed } from '@trellis/contract/shapes/admin-agent.ts';
import { Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { client } from '../../../api/client.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button, IconButton } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { ShowMore } from '../../../ui/show-more.tsx';
import { Time } from '../../../ui/time.tsx';
import { toastDone, toastError } from '../../../ui/toast.ts';
import { sessionListQuery, sessionQuery, SESSIONS_KEY } from './admin-agent-queries.ts';

const SESSIONS_TAKE = 30;

const route = getRouteApi('/workspace/assistant/admin-agent/{-$id}');

export function NewSessionButton({ isAllowed }: { readonly isAllowed: boolean }) {
  const queries = useQueryClient();
  const navigate = route.useNavigate();
  const create = useMutation({
    mutationFn: () => client.adminAgent.createSession(),
    onSuccess: async (session) => {
      queries.setQueryData(sessionQuery(session.id).queryKey, session);
      await queries.invalidateQueries({ queryKey: [...SESSIONS_KEY, 'list'] });
      await navigate({ params: { id: session.id } });
    },
    onError: (error) => toastError('The session was not started', error),
  });
  return (
    <Button
      kind="primary"
      icon={Plus}
      disabled={!isAllowed}
      isBusy={create.isPending}
      onClick={() => create.mutate()}
    >
      New session
    </Button>
  );
}

/** The viewer's own sessions, the newest first. */
export function SessionList({ openId }: { readonly openId: string | undefined }) {
  const [take, setTake] = useState(SESSIONS_TAKE);
  const sessions = useQuery(sessionListQuery(take));
  return (
    <nav aria-label="Sessions">
      <QueryView query={sessions} errorTitle="The sessions could not be read">
        {({ items, total }) => (
          <>
            {items.length === 0 && <p className="text-muted">No sessions yet.</p>}
            <ul className="flex flex-col gap-0.5">
              {items.map((session) => (
                <SessionRow key={session.id} session={session} isOpen={session.id === openId} />
              ))}
            </ul>
            <ShowMore {...{ take, total }} step={SESSIONS_TAKE} onTake={setTake} />
          </>
        )}
      </QueryView>
    </nav>
  );
}

interface SessionRowProps {
  readonly session: AdminAgentSessionListed;
  readonly isOpen: boolean;
}

function SessionRow({ session, isOpen }: SessionRowProps) {
  const [isAsked, setIsAsked] = useState(false);
  const title = session.title || 'New session';
  return (
    <li className="flex items-center rounded-control hover:bg-sunken has-aria-[current=page]:bg-accent-soft">
      <Link
        to="/assistant/admin-agent/{-$id}"
        params={{ id: session.id }}
        className="min-w-0 flex-1 py-1.5 pl-2 aria-[current=page]:text-accent-strong"
      >
        <bdi className="block truncate">{title}</bdi>
        <span className="flex items-center gap-1.5 text-xs text-muted">
          <Time iso={session.updatedAt} />
          {session.hasProposal && <Badge tone="info">Proposal</Badge>}
        </span>
      </Link>
      <IconButton
        icon={Trash2}
        size="small"
        label={`Delete ${title}`}
        onClick={() => setIsAsked(true)}
      />
      {isAsked && (
        <DeleteSession
          id={session.id}
          title={title}
          isOpen={isOpen}
          onClose={() => setIsAsked(false)}
        />
      )}
    </li>
  );
}

interface DeleteSessionProps {
  readonly id: string;
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function DeleteSession({ id, title, isOpen, onClose }: DeleteSessionProps) {
  const queries = useQueryClient();
  const navigate = route.useNavigate();
  const remove = useMutation({
    mutationFn: () => client.adminAgent.deleteSession(id),
    onSuccess: async () => {
      // Away from it first: what is gone is not read again.
      if (isOpen) await navigate({ params: { id: undefined } });
      await queries.invalidateQueries({ queryKey: [...SESSIONS_KEY, 'list'] });
      toastDone('The session is deleted', title);
      onClose();
    },
    onError: (error) => toastError('The session was not deleted', error),
  });
  return (
    <ConfirmDialog
      isOpen
      title={`Delete “${title}”?`}
      action="Delete"
      isBusy={remove.isPending}
      onClose={onClose}
      onConfirm={() => remove.mutate()}
    >
      Its messages, files and proposals are deleted with it. What was approved stays.
    </ConfirmDialog>
  );
}
