"""The local Discord's commands, buttons and windows, with the real client behind them."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Any

import discord
import pytest
from discord import app_commands
from discord_bot import Bot, connected

from fakes.discord import FakeDiscord, Interaction, fake_discord

Act = discord.Interaction[Any]
Do = Callable[[Act], Awaitable[None]]


@pytest.fixture
async def world() -> AsyncGenerator[FakeDiscord]:
    async with fake_discord() as served:
        yield served


class Commands:
    """A bot with the commands of the tests: `/ask` and a menu do what `do` says."""

    def __init__(self, world: FakeDiscord) -> None:
        self.world, self.bot = world, Bot()
        self.guild = world.add_guild()
        self.channel = world.add_channel(self.guild)
        self.ana = world.add_member(self.guild, "ana", locale="pt-BR")
        self.rui = world.add_member(self.guild, "rui", admin=True)
        self.do: Do = self._nothing
        self.ended: list[BaseException | None] = []
        self.files: list[discord.Attachment] = []

    async def _nothing(self, _act: Act) -> None:
        pass

    async def run(self, act: Act) -> None:
        try:
            await self.do(act)
        except discord.HTTPException as error:
            self.ended.append(error)
        else:
            self.ended.append(None)

    async def ask(self) -> Interaction:
        made = await self.world.slash("ask", self.ana, self.channel, {"question": "férias?"})
        await self.world.until(lambda: self.ended)
        return made

    def texts(self, user: str | None = None) -> list[str]:
        return [seen.text for seen in self.world.messages(self.channel, user=user)]


@pytest.fixture
async def commands(world: FakeDiscord) -> AsyncGenerator[Commands]:
    it = Commands(world)
    tree = it.bot.tree

    @tree.command(description="Ask the documents")
    async def ask(act: Act, question: str) -> None:
        act.extras["question"] = question
        await it.run(act)

    @tree.command(description="Ingest files")
    @app_commands.default_permissions(manage_guild=True)
    @app_commands.guild_only()
    async def ingest(act: Act, file: discord.Attachment) -> None:
        it.files.append(file)
        await it.run(act)

    @tree.command(description="Forget a document")
    async def forget(act: Act, source: str) -> None:
        act.extras["source"] = source
        await it.run(act)

    @forget.autocomplete("source")
    async def names(_act: Act, typed: str) -> list[app_commands.Choice[str]]:
        return [app_commands.Choice(name=name, value=name) for name in ("lei.pdf", "manual.pdf") if typed in name]

    @tree.context_menu(name="Ask kbot about this")
    async def about(act: Act, message: discord.Message) -> None:
        act.extras["message"] = message
        await it.run(act)

    assert ask
    assert ingest
    assert about
    assert names
    async with connected(world, it.bot):
        await tree.sync()
        yield it


async def test_a_deferred_answer_grows(world: FakeDiscord, commands: Commands) -> None:
    known: list[Act] = []

    async def do(act: Act) -> None:
        known.append(act)
        await act.response.defer(thinking=True)
        await act.edit_original_response(content="São 22")
        await act.edit_original_response(content="São 22 dias.")
        await act.followup.send("E mais.")

    commands.do = do
    made = await commands.ask()
    assert commands.ended == [None]
    act = known[0]
    assert act.extras["question"] == "férias?"
    assert (act.locale, act.guild_locale) == (discord.Locale.brazil_portuguese, discord.Locale.brazil_portuguese)
    assert isinstance(act.user, discord.Member)
    assert not act.permissions.manage_guild
    assert act.app_permissions.send_messages
    assert commands.texts() == ["São 22 dias.", "E mais."]
    assert [seen.text for seen in world.views(made.response or "")] == ["", "São 22", "São 22 dias."]
    # The response is a message of the channel: it can be edited there when the token is over.
    await commands.bot.text_channel(commands.channel).get_partial_message(int(made.response or 0)).edit(content="fim")
    assert commands.texts() == ["fim", "E mais."]


async def test_an_ephemeral_answer_is_seen_by_one_person(world: FakeDiscord, commands: Commands) -> None:
    async def do(act: Act) -> None:
        await act.response.send_message("só para ti", ephemeral=True)

    commands.do = do
    made = await commands.ask()
    assert commands.texts() == []
    assert commands.texts(commands.rui) == []
    assert commands.texts(commands.ana) == ["só para ti"]
    with pytest.raises(discord.NotFound):
        await commands.bot.text_channel(commands.channel).fetch_message(int(made.response or 0))


@pytest.mark.parametrize(("wait", "code"), [(0.2, 10062), (0.0, None)])
async def test_the_first_answer_has_its_time(
    world: FakeDiscord, commands: Commands, wait: float, code: int | None
) -> None:
    async def do(act: Act) -> None:
        await asyncio.sleep(wait)
        await act.response.defer()

    world.answer_within, commands.do = 0.1, do
    made = await commands.ask()
    assert [getattr(error, "code", None) for error in commands.ended] == [code]
    assert world.unanswered() == ([made] if code else [])


@pytest.mark.parametrize(("expired", "error"), [(10015, discord.NotFound), (50027, discord.HTTPException)])
async def test_the_token_is_over_in_time(
    world: FakeDiscord, commands: Commands, expired: int, error: type[discord.HTTPException]
) -> None:
    async def do(act: Act) -> None:
        await act.response.defer()
        world.time_scale = 0.0
        await act.edit_original_response(content="tarde")

    world.expired, commands.do = expired, do
    await commands.ask()
    (ended,) = commands.ended
    assert isinstance(ended, error)
    assert ended.code == expired
    assert commands.texts() == [""]


async def test_an_interaction_is_answered_once(world: FakeDiscord, commands: Commands) -> None:
    async with connected(world, Bot()) as other:

        async def late(act: Act) -> None:
            await asyncio.sleep(0.1)
            await commands.run(act)

        other.tree.add_command(app_commands.Command(name="ask", description="x", callback=_asked(late)))

        async def do(act: Act) -> None:
            await act.response.send_message("eu")

        commands.do = do
        await commands.ask()
        await world.until(lambda: len(commands.ended) == 2)
    assert sorted(str(getattr(error, "code", "")) for error in commands.ended) == ["", "40060"]
    assert commands.texts() == ["eu"]


async def test_commands_are_offered_to_whom_they_are_meant_for(world: FakeDiscord, commands: Commands) -> None:
    async def do(act: Act) -> None:
        await act.response.defer(ephemeral=True, thinking=True)
        await act.edit_original_response(content=(await commands.files[0].read()).decode())

    commands.do = do
    file = {"file": ("a.txt", b"ingerido")}
    with pytest.raises(PermissionError):
        await world.slash("ingest", commands.ana, commands.channel, attachments=file)
    with pytest.raises(PermissionError):
        await world.slash("ingest", commands.rui, world.direct(commands.rui), attachments=file)
    with pytest.raises(ValueError, match="needs the option"):
        await world.slash("ingest", commands.rui, commands.channel)
    await world.slash("ingest", commands.rui, commands.channel, attachments=file)
    await world.until(lambda: commands.ended)
    assert commands.texts(commands.rui) == ["ingerido"]
    world.open_commands.add("ingest")
    await world.slash("ingest", commands.ana, commands.channel, attachments=file)
    await world.until(lambda: len(commands.ended) == 2)


async def test_autocomplete_and_menus(world: FakeDiscord, commands: Commands) -> None:
    found = await world.autocomplete("forget", commands.ana, commands.channel, "source", "man")
    assert found == [{"name": "manual.pdf", "value": "manual.pdf"}]

    async def do(act: Act) -> None:
        await act.response.send_message(act.extras["message"].content, ephemeral=True)

    commands.do = do
    # What was chosen in a menu is readable, whatever the intents.
    message = await world.say(commands.channel, commands.rui, "o que é isto?", mention=False)
    await world.context_menu("Ask kbot about this", commands.ana, commands.channel, message)
    await world.until(lambda: commands.ended)
    assert commands.texts(commands.ana) == ["o que é isto?", "o que é isto?"]


async def test_buttons_and_windows(world: FakeDiscord, commands: Commands) -> None:
    class Window(discord.ui.Modal):
        def __init__(self) -> None:
            super().__init__(title="Ingerir")
            self.urls: discord.ui.TextInput[Any] = discord.ui.TextInput(required=False)
            self.files: discord.ui.FileUpload[Any] = discord.ui.FileUpload(max_values=10, required=False)
            self.add_item(discord.ui.Label(text="Endereços", component=self.urls))
            self.add_item(discord.ui.Label(text="Ficheiros", component=self.files))

        async def on_submit(self, interaction: Act) -> None:
            await interaction.response.send_message(f"{self.urls.value} {self.files.values[0].filename}")

    class Buttons(discord.ui.View):
        @discord.ui.button(label="Ingerir", custom_id="ingest")
        async def ingest(self, act: Act, _button: object) -> None:
            await act.response.send_modal(Window())

        @discord.ui.button(emoji="👍", custom_id="up")
        async def up(self, act: Act, _button: object) -> None:
            await act.response.edit_message(content="obrigado", view=None)

    channel = commands.bot.text_channel(commands.channel)
    sent = str((await channel.send("que queres?", view=Buttons(timeout=None))).id)
    with pytest.raises(LookupError):
        await world.click(sent, "Apagar", commands.ana)
    await world.click(sent, "Ingerir", commands.ana)
    await world.until(lambda: world.modal(commands.ana))
    window = world.modal(commands.ana)
    assert window
    assert (window.title, list(window.fields)) == ("Ingerir", ["Endereços", "Ficheiros"])
    await world.submit(window, commands.ana, {"Endereços": "https://x.pt"}, [("a.pdf", b"%PDF")])
    await world.until(lambda: commands.texts() == ["que queres?", "https://x.pt a.pdf"])
    await world.click(sent, "👍", commands.rui)
    await world.until(lambda: commands.texts()[0] == "obrigado")
    assert not world.messages(commands.channel)[0].buttons


async def test_commands_are_checked_and_keep_their_ids(world: FakeDiscord, commands: Commands) -> None:
    tree = commands.bot.tree
    before = {command.name: command.id for command in await tree.fetch_commands()}
    assert {command.name: command.id for command in await tree.sync()} == before
    assert world.syncs == 2
    http, application = commands.bot.http, int(world.application)
    for wrong in (
        {"name": "Ask", "description": "maiúsculas"},
        {"name": "ask", "description": "x" * 101},
        {"name": "ask", "description": "x", "description_localizations": {"pt": "sem país"}},
        {"name": "ask", "description": "x", "options": [{"name": f"o{n}", "description": "x"} for n in range(26)]},
    ):
        with pytest.raises(discord.HTTPException) as caught:
            await http.bulk_upsert_global_commands(application, payload=[wrong])
        assert caught.value.code == 50035
    assert world.syncs == 2


def _asked(do: Do) -> Any:
    async def asked(act: Act, question: str) -> None:
        act.extras["question"] = question
        await do(act)

    return asked
