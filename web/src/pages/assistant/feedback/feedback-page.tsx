import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ChatFeedbackItem } from '@trellis/contract/shapes/chat.ts';
import { MessagesSquare } from 'lucide-react';
import { client } from '../../../api/client.ts';
import { atSkip } from '../../../app/search-params.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Card } from '../../../ui/card.tsx';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { DateRange, type Days, momentsOf } from '../../../ui/date-range.tsx';
import { SidePanel } from '../../../ui/dialog.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { SelectField } from '../../../ui/field.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { Pager } from '../../../ui/pager.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { Time } from '../../../ui/time.tsx';
import { RatedConversationView } from './rated-conversation-view.tsx';

const route = getRouteApi('/workspace/assistant/feedback');
const TAKE = 50;
const RATINGS = { up: 'Good', down: 'Bad' } as const;

/** What users think of answers of the chat, the newest first. */
export function FeedbackPage() {
  const { from, to, answer, skip = 0, ...search } = route.useSearch();
  const value = search.value === 'up' || search.value === 'down' ? search.value : undefined;
  const navigate = route.useNavigate();
  const feedback = useQuery({
    queryKey: ['feedback', value, from, to, skip],
    queryFn: ({ signal }) =>
      client.chats.listFeedback(
        { ...momentsOf({ from, to }), ...(value !== undefined && { value }), skip, take: TAKE },
        { signal },
      ),
    placeholderData: keepPreviousData,
  });
  const choose = (change: Days & { value?: string | undefined }) =>
    void navigate({ search: (last) => ({ ...last, ...change, skip: undefined }), replace: true });
  const open = (uid: string | undefined) =>
    void navigate({ search: (last) => ({ ...last, answer: uid }) });
  return (
    <>
      <PageHeader
        title="Feedback"
        description="Answers that users have rated. Who rates an answer shows administrators the conversation up to it; each reading is in the audit trail."
      />
      <div className="mb-4 flex flex-wrap gap-4">
        <SelectField
          label="Rating"
          value={value ?? ''}
          options={[
            { value: '', label: 'Any' },
            { value: 'down', label: RATINGS.down },
            { value: 'up', label: RATINGS.up },
          ]}
          onChange={({ target }) => choose({ value: target.value || undefined })}
        />
        <DateRange from={from} to={to} onChange={choose} />
      </div>
      <Card isFlush>
        <QueryView query={feedback} errorTitle="The feedback could not be read">
          {({ items, total }) => (
            <>
              {items.length === 0 ? (
                <EmptyState icon={MessagesSquare} title="No feedback">
                  Users rate answers with the buttons below them.
                </EmptyState>
              ) : (
                <FeedbackTable items={items} onOpen={open} />
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
      {answer !== undefined && (
        <SidePanel isOpen onClose={() => open(undefined)} title="Conversation">
          <RatedConversationView uid={answer} />
        </SidePanel>
      )}
    </>
  );
}

interface FeedbackTableProps {
  readonly items: readonly ChatFeedbackItem[];
  readonly onOpen: (uid: string) => void;
}

function FeedbackTable({ items, onOpen }: FeedbackTableProps) {
  const columns: readonly Column<ChatFeedbackItem>[] = [
    {
      title: 'Rating',
      cell: ({ value }) => (
        <Badge tone={value === 'up' ? 'good' : 'danger'}>{RATINGS[value]}</Badge>
      ),
    },
    {
      title: 'Comment',
      cell: ({ messageUID, comment, user }) => (
        <button
          type="button"
          dir="auto"
          onClick={() => onOpen(messageUID)}
          aria-label={`Read what ${user.name} rates${comment === null ? '' : `: ${comment}`}`}
          className="line-clamp-3 max-w-prose text-left text-accent wrap-anywhere hover:underline"
        >
          {comment ?? 'Read the conversation'}
        </button>
      ),
    },
    { title: 'User', cell: ({ user }) => <bdi>{user.name}</bdi> },
    { title: 'Model', isMinor: true, cell: ({ model }) => model },
    { title: 'Answered', isMinor: true, cell: ({ at }) => <Time iso={at} /> },
  ];
  return (
    <DataTable
      label="Feedback"
      rows={items}
      keyOf={({ messageUID }) => messageUID}
      columns={columns}
    />
  );
}
