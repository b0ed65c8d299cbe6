import { useMutation } from '@tanstack/react-query';
import { Braces, Download, FileText } from 'lucide-react';
import { chatMarkdown } from '@trellis/client/chat-markdown.ts';
import { client } from '../../../api/client.ts';
import { BASE_URL } from '../../../app/base-url.ts';
import { Button } from '../../../ui/button.tsx';
import { Menu } from '../../../ui/menu.tsx';
import { saveDownload } from '../../../ui/save-download.ts';
import { toastError } from '../../../ui/toast.ts';

/** Files of a conversation, as its reader may see it now. */
export function ExportChat({ uid }: { readonly uid: string }) {
  const save = useMutation({
    mutationFn: async (ending: 'md' | 'json') => {
      const chat = await client.chats.get(uid);
      const text =
        ending === 'json'
          ? `${JSON.stringify(chat, null, 2)}\n`
          : chatMarkdown(chat, { baseUrl: BASE_URL.href });
      await saveDownload(new Blob([text]).stream(), `${fileNameOf(chat.title)}.${ending}`);
    },
    onError: (error) => toastError('The conversation was not exported', error),
  });
  return (
    <Menu
      align="start"
      trigger={
        <Button size="small" icon={Download}>
          Export
        </Button>
      }
      items={[
        {
          label: 'Markdown',
          hint: 'To read, with sources and verdicts as footnotes',
          icon: FileText,
          onSelect: () => save.mutate('md'),
        },
        {
          label: 'JSON',
          hint: 'For programs, with calls of tools',
          icon: Braces,
          onSelect: () => save.mutate('json'),
        },
      ]}
    />
  );
}

/** Letters and digits of the title, in whatever language. */
function fileNameOf(title: string): string {
  const words = title.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  return words.join('-').slice(0, 60) || 'conversation';
}
