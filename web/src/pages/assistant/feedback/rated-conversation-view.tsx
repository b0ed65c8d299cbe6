import { useQuery } from '@tanstack/react-query';
import type { RatedConversation } from '@trellis/contract/shapes/chat.ts';
import { client } from '../../../api/client.ts';
import { QueryView } from '../../../ui/query-view.tsx';
import { GoldenQuestion } from '../chat/golden-question.tsx';
import { CheckedAnswer } from '../conversation/checked-answer.tsx';
import { NodeLink } from '../conversation/citations.tsx';
import { EndNote } from '../conversation/end-note.tsx';
import { Question, Reply } from '../conversation/message.tsx';
import { ToolCalls } from '../conversation/tool-calls.tsx';

/** What led to a rated answer, and the answer. */
export function RatedConversationView({ uid }: { readonly uid: string }) {
  const query = useQuery({
    queryKey: ['feedback', 'one', uid],
    queryFn: ({ signal }) => client.chats.getFeedback(uid, { signal }),
    // Each reading is in the audit trail: once for each time that somebody opens it.
    staleTime: Infinity,
    gcTime: 0,
  });
  return (
    <QueryView query={query} errorTitle="The conversation could not be read">
      {(rated) => <Conversation rated={rated} />}
    </QueryView>
  );
}

function Conversation({ rated }: { readonly rated: RatedConversation }) {
  const { messages, user, comment, value } = rated;
  return (
    <div className="flex flex-col gap-6">
      {messages.map((message) =>
        message.role === 'user' ? (
          <Question
            key={message.UID}
            text={message.text}
            context={<GoldenQuestion question={message.text} asUser={user.uid} isLabelled />}
          />
        ) : (
          <Reply key={message.UID} from="Assistant">
            <ToolCalls calls={message.toolCalls} />
            <CheckedAnswer
              text={message.text}
              citations={message.citations}
              support={message}
              link={NodeLink}
            >
              <EndNote message={message} />
            </CheckedAnswer>
          </Reply>
        ),
      )}
      <p className="border-t pt-3 text-muted">
        <bdi>{user.name}</bdi> rates it {value === 'up' ? 'a good answer' : 'a bad answer'}
        {comment === null ? '.' : ': '}
        {comment !== null && <bdi className="wrap-anywhere">{comment}</bdi>}
      </p>
    </div>
  );
}
