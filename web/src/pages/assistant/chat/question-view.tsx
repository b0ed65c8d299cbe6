import { Link } from '@tanstack/react-router';
import { CHAT_MESSAGE_CHARACTERS_MAX } from '@trellis/contract/limits.ts';
import type { ChatMessage } from '@trellis/contract/shapes/chat.ts';
import { Pencil } from 'lucide-react';
import { useNames } from '../../../api/names.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { TextArea } from '../../../ui/field.tsx';
import { Question } from '../conversation/message.tsx';

type ChatQuestion = Extract<ChatMessage, { role: 'user' }>;

/** What a message is changed into. */
export interface EditedQuestion {
  /** UID of the message. */
  readonly uid: string;
  readonly text: string;
}

interface QuestionViewProps {
  readonly message: ChatQuestion;
  readonly isLocked: boolean;
  /** Undefined when nobody changes it. */
  readonly edited: EditedQuestion | undefined;
  readonly onEdited: (edited: EditedQuestion | undefined) => void;
  readonly onSend: (edited: EditedQuestion) => void;
}

/** A message of the user, which can be put differently. */
export function QuestionView(props: QuestionViewProps) {
  const { message, isLocked, edited, onEdited, onSend } = props;
  const { UID: uid, text } = message;
  if (edited !== undefined) return <QuestionForm {...{ edited, isLocked, onEdited, onSend }} />;
  return (
    <Question
      text={text}
      context={message.viewingUID !== null && <Viewed uid={message.viewingUID} />}
      actions={
        <IconButton
          icon={Pencil}
          size="small"
          label="Edit the message"
          disabled={isLocked}
          onClick={() => onEdited({ uid, text })}
        />
      }
    />
  );
}

function Viewed({ uid }: { readonly uid: string }) {
  const nameOf = useNames([uid]);
  return (
    <p className="max-w-[85%] truncate text-[13px] text-muted">
      About{' '}
      <Link to="/node/$uid" params={{ uid }} className="text-accent underline">
        {nameOf(uid)}
      </Link>
    </p>
  );
}

type QuestionFormProps = Pick<QuestionViewProps, 'isLocked' | 'onEdited' | 'onSend'> & {
  readonly edited: EditedQuestion;
};

function QuestionForm({ edited, isLocked, onEdited, onSend }: QuestionFormProps) {
  const { text } = edited;
  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        onSend(edited);
      }}
    >
      <TextArea
        label="Edit the message"
        hint="The messages after it are deleted."
        dir="auto"
        autoFocus
        rows={Math.min(10, Math.max(3, text.split('\n').length))}
        maxLength={CHAT_MESSAGE_CHARACTERS_MAX}
        value={text}
        onChange={(event) => onEdited({ ...edited, text: event.target.value })}
      />
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={() => onEdited(undefined)}>Cancel</Button>
        <Button kind="primary" type="submit" disabled={isLocked || text.trim() === ''}>
          Ask again
        </Button>
      </div>
    </form>
  );
}
