import { Link } from '@tanstack/react-router';
import { CheckedAnswer } from '../conversation/checked-answer.tsx';
import type { SourceLinkProps } from '../conversation/citations.tsx';
import { type ChatReply, EndNote } from '../conversation/end-note.tsx';
import { Reply, Thinking } from '../conversation/message.tsx';
import { ToolCalls } from '../conversation/tool-calls.tsx';
import { AnswerActions } from './answer-actions.tsx';

interface AnswerViewProps {
  readonly chatUid: string | undefined;
  readonly message: ChatReply;
  /** What it answers. */
  readonly question: string;
  readonly isLocked: boolean;
  readonly isLast: boolean;
  readonly onRegenerate: () => void;
}

/** An answer with its sources, what was called for it, and what can be done with it. */
export function AnswerView(props: AnswerViewProps) {
  const { chatUid, message, question, isLocked, isLast, onRegenerate } = props;
  const { text, citations, toolCalls, ended } = message;
  return (
    <Reply from="Assistant" isBusy={ended === null}>
      <ToolCalls calls={toolCalls} />
      <CheckedAnswer text={text} citations={citations} support={message} link={SourceLink}>
        {text === '' && ended === null && <Thinking />}
        <EndNote message={message} />
      </CheckedAnswer>
      {ended !== null && chatUid !== undefined && (
        <AnswerActions
          chatUid={chatUid}
          message={message}
          question={question}
          isLocked={isLocked}
          onRegenerate={isLast ? onRegenerate : undefined}
        />
      )}
    </Reply>
  );
}

/** To the same page, with the record of a source beside it. */
function SourceLink({ citation: { id }, label, className, children, ...rest }: SourceLinkProps) {
  return (
    <Link
      {...rest}
      to="."
      search={(last: object) => ({ ...last, source: String(id) })}
      resetScroll={false}
      data-source={id}
      className={className}
      {...(label !== undefined && { 'aria-label': label })}
    >
      {children}
    </Link>
  );
}
