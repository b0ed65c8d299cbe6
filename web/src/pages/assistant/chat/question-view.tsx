import { Link } from '@tanstack/react-router';
import { CHAT_MESSAGE_CHARACTERS_MAX } from '@trellis/contract/limits.ts';
import type { ChatMessage } from '@trellis/contract/shapes/chat.ts';
import { Pencil } from 'lucide-react';
import { useState } from 'react';
import { useNames } from '../../../api/names.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { TextArea } from '../../../ui/field.tsx';
import { Question } from '../conversation/message.tsx';

type ChatQuestion = Extract<ChatMessage, { role: 'user' }>;

interface QuestionViewProps {
  readonly message: ChatQuestion;
  readonly isLocked: boolean;
  /** Gives whether it was kept. */
  readonly onEdit: (text: string) => Promise<boolean>;
}

/** A message of the user, which can be put differently. */
export function QuestionView({ message, isLocked, onEdit }: QuestionViewProps) {
  const [isEdited, setIsEdited] = useState(false);
  if (isEdited) {
    return (
      <QuestionForm
        text={message.text}
        isLocked={isLocked}
        onClose={() => setIsEdited(false)}
        onEdit={onEdit}
      />
    );
  }
  return (
    <Question
      text={message.text}
      context={message.viewingUID !== null && <Viewed uid={message.viewingUID} />}
      actions={
        <IconButton
          icon={Pencil}
          size="small"
          label="Edit the message"
          disabled={isLocked}
          onClick={() => setIsEdited(true)}
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

interface QuestionFormProps {
  readonly text: string;
  readonly isLocked: boolean;
  readonly onClose: () => void;
  readonly onEdit: (text: string) => Promise<boolean>;
}

function QuestionForm({ text, isLocked, onClose, onEdit }: QuestionFormProps) {
  const [typed, setTyped] = useState(text);
  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        void onEdit(typed);
      }}
    >
      <TextArea
        label="Edit the message"
        hint="The messages after it are deleted."
        dir="auto"
        autoFocus
        rows={Math.min(10, Math.max(3, typed.split('\n').length))}
        maxLength={CHAT_MESSAGE_CHARACTERS_MAX}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" type="submit" disabled={isLocked || typed.trim() === ''}>
          Ask again
        </Button>
      </div>
    </form>
  );
}
