import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ChatSummary } from '@trellis/contract/shapes/chat.ts';
import { Ellipsis, LoaderCircle, Pencil, SquarePen, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { buttonClasses, IconButton } from '../../../ui/button.tsx';
import { ListSearch } from '../../../ui/list-search.tsx';
import { Menu } from '../../../ui/menu.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { ShowMore } from '../../../ui/show-more.tsx';
import { Time } from '../../../ui/time.tsx';
import { CHATS_TAKE, chatListQuery } from './chat-queries.ts';
import { DeleteChatDialog } from './delete-chat-dialog.tsx';
import { RenameChatDialog } from './rename-chat-dialog.tsx';

const route = getRouteApi('/workspace/chat/{-$uid}');

/** The viewer's own conversations, the last used first. */
export function ChatList({ openUid }: { readonly openUid: string | undefined }) {
  const { query = '' } = route.useSearch();
  const navigate = route.useNavigate();
  const [take, setTake] = useState(CHATS_TAKE);
  const chats = useQuery(chatListQuery(query, take));
  return (
    <>
      <Link
        to="/chat/{-$uid}"
        params={{ uid: undefined }}
        search={{ query: query || undefined }}
        className={`${buttonClasses()} w-full shrink-0`}
      >
        <SquarePen className="size-4" aria-hidden />
        New conversation
      </Link>
      <ListSearch
        label="Find a conversation"
        className="my-3 shrink-0"
        query={query}
        onSearch={(text) =>
          void navigate({
            search: (last) => ({ ...last, query: text || undefined }),
            replace: true,
          })
        }
      />
      <QueryView query={chats} errorTitle="The conversations could not be read">
        {({ items, total }) => (
          <div className="min-h-0 overflow-y-auto">
            {items.length === 0 && (
              <p className="px-2 text-muted">
                {query === '' ? 'No conversations yet.' : `No title contains “${query}”.`}
              </p>
            )}
            <ul aria-label="Conversations" className="flex flex-col gap-0.5">
              {items.map((chat) => (
                <ChatRow key={chat.UID} chat={chat} isOpen={chat.UID === openUid} />
              ))}
            </ul>
            <ShowMore {...{ take, total }} step={CHATS_TAKE} onTake={setTake} />
          </div>
        )}
      </QueryView>
    </>
  );
}

interface ChatRowProps {
  readonly chat: ChatSummary;
  readonly isOpen: boolean;
}

function ChatRow({ chat, isOpen }: ChatRowProps) {
  const [asked, setAsked] = useState<'rename' | 'delete'>();
  const onClose = () => setAsked(undefined);
  const title = chat.title || 'New conversation';
  return (
    <li className="flex items-center rounded-control hover:bg-sunken has-aria-[current=page]:bg-accent-soft">
      <Link
        to="/chat/{-$uid}"
        params={{ uid: chat.UID }}
        search={({ query }) => ({ query })}
        className="min-w-0 flex-1 py-1.5 pl-2 aria-[current=page]:text-accent-strong"
      >
        <bdi className="block truncate">{title}</bdi>
        <span className="flex items-center gap-1 text-xs text-muted">
          {chat.isBusy && <LoaderCircle className="size-3 animate-spin" aria-label="Answering" />}
          <Time iso={chat.updatedAt} />
        </span>
      </Link>
      <Menu
        trigger={<IconButton icon={Ellipsis} size="small" label={`What to do with ${title}`} />}
        items={[
          { label: 'Rename', icon: Pencil, onSelect: () => setAsked('rename') },
          { label: 'Delete', icon: Trash2, isDanger: true, onSelect: () => setAsked('delete') },
        ]}
      />
      {asked === 'rename' && <RenameChatDialog chat={chat} onClose={onClose} />}
      {asked === 'delete' && <DeleteChatDialog chat={chat} isOpen={isOpen} onClose={onClose} />}
    </li>
  );
}
