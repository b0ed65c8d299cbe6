import { useQuery, useQueryClient } from '@tanstack/react-query';
import {
  LLM_ANSWER_TOKENS_DEFAULT,
  LLM_ANSWER_TOKENS_MAX,
  LLM_DAY_TOKENS_DEFAULT,
  LLM_DAY_TOKENS_MAX,
} from '@trellis/contract/limits.ts';
import type { AiProviders, AiProvidersChange } from '@trellis/contract/shapes/assistant.ts';
import { useState } from 'react';
import { Controller, useForm, type UseFormReturn } from 'react-hook-form';
import { client } from '../../../api/client.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { ChipsInput } from '../../../ui/chips-input.tsx';
import { SelectField, TextField } from '../../../ui/field.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { ServerForm } from '../../../ui/server-form.tsx';
import { Time } from '../../../ui/time.tsx';
import { toastDone } from '../../../ui/toast.ts';
import { ApiKeyFields, keyChangeOf } from './api-key-fields.tsx';
import { llmStateQuery, PROTOCOLS, providersQuery } from './provider-queries.ts';
import { StateBadge } from './state-badge.tsx';
import { tokensUpTo } from './token-rules.ts';
import { RemoveProviderDialog } from './remove-provider-dialog.tsx';

type Chat = AiProviders['chat'];

interface ChatText {
  provider: 'openai-compatible' | 'anthropic';
  baseUrl: string;
  model: string;
  models: readonly string[];
  tokensPerAnswer: number;
  tokensPerUserAndDay: number;
  apiKey: string;
  removesKey: boolean;
}

type ChatForm = UseFormReturn<ChatText>;

interface ChatProviderCardProps {
  readonly chat: Chat;
  readonly isAllowed: boolean;
}

/** Who answers in chats, for agents and for clients of the router. */
export function ChatProviderCard({ chat, isAllowed }: ChatProviderCardProps) {
  const queries = useQueryClient();
  const [isRemoving, setIsRemoving] = useState(false);
  const form: ChatForm = useForm<ChatText>({ defaultValues: chatTextOf(chat) });
  const { isDirty, isSubmitting } = form.formState;
  const save = async (text: ChatText) => {
    const saved = await client.aiProviders.put({ chat: chatChangeOf(text) });
    form.reset(chatTextOf(saved.chat));
    queries.setQueryData(providersQuery.queryKey, saved);
    toastDone('The provider of chat is saved');
    await queries.invalidateQueries({ queryKey: llmStateQuery.queryKey });
  };
  return (
    <Card
      title="Chat"
      description="Answers for chats, agents, and programs that use the LLM router."
    >
      <div className="flex flex-col gap-4">
        <ProviderState />
        <ServerForm form={form} onSend={save} isDisabled={!isAllowed}>
          <ServerFields form={form} />
          <ApiKeyFields form={form} isSet={chat?.hasApiKey === true} />
          <CapFields form={form} />
          <div className="flex flex-wrap justify-end gap-2">
            {chat !== null && <Button onClick={() => setIsRemoving(true)}>Remove</Button>}
            <Button kind="primary" type="submit" disabled={!isDirty} isBusy={isSubmitting}>
              Save the provider of chat
            </Button>
          </div>
        </ServerForm>
      </div>
      {isRemoving && <RemoveProviderDialog kind="chat" onClose={() => setIsRemoving(false)} />}
    </Card>
  );
}

/** How it has answered since the server started. */
function ProviderState() {
  const { data: state } = useQuery(llmStateQuery);
  if (state === undefined) return null;
  if (state.status === 'off') {
    return (
      <Notice tone="info">
        There is no provider of chat: enter the address of one to switch on the assistant.
        Everything else works without it.
      </Notice>
    );
  }
  return (
    <div role="status" aria-label="State of the provider" className="flex flex-col gap-1">
      <p className="flex flex-wrap items-center gap-2">
        <StateBadge status={state.status} />
        {state.lastAnswerAt !== null && (
          <span className="text-[13px] text-muted">
            Last answer <Time iso={state.lastAnswerAt} />
          </span>
        )}
      </p>
      {state.lastErrorAt !== null && (
        <p className={state.status === 'failing' ? 'text-danger' : 'text-muted'}>
          Last error <Time iso={state.lastErrorAt} />: {state.lastError}
        </p>
      )}
    </div>
  );
}

function ServerFields({ form }: { readonly form: ChatForm }) {
  const { errors } = form.formState;
  const isAnthropic = form.watch('provider') === 'anthropic';
  return (
    <>
      <SelectField label="Protocol" options={PROTOCOLS} {...form.register('provider')} />
      <TextField
        label="Address of chat"
        hint={`The base URL of the API, such as https://api.${isAnthropic ? 'anthropic' : 'openai'}.com/v1`}
        autoComplete="off"
        error={errors.baseUrl?.message}
        {...form.register('baseUrl', { required: 'Enter the address.' })}
      />
      <TextField
        label="Model of chat"
        hint="Used when a request names no model."
        autoComplete="off"
        error={errors.model?.message}
        {...form.register('model', { required: 'Enter the model.' })}
      />
      <Controller
        control={form.control}
        name="models"
        render={({ field, fieldState }) => (
          <ChipsInput
            label="Models allowed"
            hint="Other models that may be requested. Press Enter to add one."
            values={field.value}
            onChange={field.onChange}
            error={fieldState.error?.message}
          />
        )}
      />
    </>
  );
}

function CapFields({ form }: { readonly form: ChatForm }) {
  const { errors } = form.formState;
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <TextField
        label="Tokens of an answer"
        hint="At most; a larger request is lowered to it."
        type="number"
        inputMode="numeric"
        error={errors.tokensPerAnswer?.message}
        {...form.register('tokensPerAnswer', tokensUpTo(LLM_ANSWER_TOKENS_MAX))}
      />
      <TextField
        label="Tokens of a user per day"
        hint="Input and output together; days are in UTC."
        type="number"
        inputMode="numeric"
        error={errors.tokensPerUserAndDay?.message}
        {...form.register('tokensPerUserAndDay', tokensUpTo(LLM_DAY_TOKENS_MAX))}
      />
    </div>
  );
}

function chatTextOf(chat: Chat): ChatText {
  return {
    provider: chat?.provider ?? 'openai-compatible',
    baseUrl: chat?.baseUrl ?? '',
    model: chat?.model ?? '',
    models: chat?.models ?? [],
    tokensPerAnswer: chat?.tokensPerAnswer ?? LLM_ANSWER_TOKENS_DEFAULT,
    tokensPerUserAndDay: chat?.tokensPerUserAndDay ?? LLM_DAY_TOKENS_DEFAULT,
    apiKey: '',
    removesKey: false,
  };
}

function chatChangeOf(text: ChatText): NonNullable<AiProvidersChange['chat']> {
  const { apiKey, removesKey, ...settings } = text;
  return { ...settings, ...keyChangeOf({ apiKey, removesKey }) };
}
